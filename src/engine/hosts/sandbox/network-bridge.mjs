// Runs inside a sandbox with an allow list of hosts: listens on the address in HTTP_PROXY and forwards every connection
// over descriptor 6 to network-proxy.ts outside. A frame has a type (1 byte), a connection id (4 bytes), a length (4 bytes)
// and the data.
import { createServer, Socket } from 'node:net';

const [OPEN, DATA, END] = [1, 2, 3];
const HEAD_BYTES = 9;
const channel = new Socket({ fd: 6, readable: true, writable: true });
const connections = new Map();
let next = 1;
let rest = Buffer.alloc(0);

function send(kind, id, bytes = Buffer.alloc(0)) {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(id, 1);
  head.writeUInt32BE(bytes.length, 5);
  return channel.write(Buffer.concat([head, bytes]));
}

channel.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUInt32BE(5)) {
    const [kind, id, length] = [rest.readUInt8(0), rest.readUInt32BE(1), rest.readUInt32BE(5)];
    const bytes = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
    rest = rest.subarray(HEAD_BYTES + length);
    const socket = connections.get(id);
    if (kind === DATA && socket?.write(bytes) === false) {
      channel.pause();
      socket.once('drain', () => channel.resume());
      socket.once('close', () => channel.resume());
    } else if (kind === END) socket?.end();
  }
});
// The caller has exited: processes that still run in the sandbox have no network from now on.
channel.on('close', () => process.exit());
channel.on('error', () => process.exit());

createServer({ allowHalfOpen: true }, (socket) => {
  const id = next++;
  connections.set(id, socket);
  send(OPEN, id);
  socket.on('data', (bytes) => {
    if (send(DATA, id, bytes)) return;
    socket.pause();
    channel.once('drain', () => socket.resume());
  });
  socket.on('error', () => undefined);
  socket.on('end', () => send(END, id));
  socket.on('close', () => {
    connections.delete(id);
    send(END, id);
  });
}).listen(3128, '127.0.0.1');
