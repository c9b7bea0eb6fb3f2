import { Duplex } from 'node:stream';

const [OPEN, DATA, END] = [1, 2, 3];
const HEAD_BYTES = 9;
/** No honest frame is longer: the other side reads at most so much at once. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/** Many connections over one stream, as the bridge inside a sandbox sends them. Who speaks there may be anybody. */
export class Frames {
  readonly #channel: Duplex;
  readonly #onConnection: (connection: Duplex) => void;
  readonly #connections = new Map<number, Connection>();
  #rest: Buffer = Buffer.alloc(0);

  constructor(channel: Duplex, onConnection: (connection: Duplex) => void) {
    this.#channel = channel;
    this.#onConnection = onConnection;
    channel.on('data', (chunk: Buffer) => this.#take(chunk));
    channel.on('error', () => undefined);
    channel.on('close', () => {
      for (const connection of this.#connections.values()) connection.destroy();
    });
  }

  send(kind: 'data' | 'end', { id, bytes }: { id: number; bytes: Buffer }): boolean {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt8(kind === 'data' ? DATA : END, 0);
    head.writeUInt32BE(id, 1);
    head.writeUInt32BE(bytes.length, 5);
    return this.#channel.destroyed || this.#channel.write(Buffer.concat([head, bytes]));
  }

  whenDrained(callback: () => void): void {
    this.#channel.once('drain', callback);
  }

  forget(id: number): void {
    this.#connections.delete(id);
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    this.#channel.resume();
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUInt32BE(5);
      if (length > MAX_FRAME_BYTES) {
        this.#channel.destroy();
        return;
      }
      if (this.#rest.length < HEAD_BYTES + length) return;
      const frame = this.#rest.subarray(0, HEAD_BYTES + length);
      this.#rest = this.#rest.subarray(HEAD_BYTES + length);
      this.#handle(frame);
    }
  }

  #handle(frame: Buffer): void {
    const [kind, id] = [frame.readUInt8(0), frame.readUInt32BE(1)];
    if (kind === OPEN && !this.#connections.has(id)) {
      const connection = new Connection(this, id);
      this.#connections.set(id, connection);
      this.#onConnection(connection);
    } else if (kind === DATA) this.#connections.get(id)?.receive(Buffer.from(frame.subarray(HEAD_BYTES)));
    else if (kind === END) this.#connections.get(id)?.receive(null);
  }
}

/** One connection from inside, as a stream. */
class Connection extends Duplex {
  readonly #frames: Frames;
  readonly #id: number;
  #isEnded = false;

  constructor(frames: Frames, id: number) {
    super({ allowHalfOpen: true });
    this.#frames = frames;
    this.#id = id;
  }

  receive(bytes: Buffer | null): void {
    if (this.#isEnded || this.destroyed) return;
    if (bytes === null) this.#isEnded = true;
    if (!this.push(bytes) && bytes !== null) this.#frames.pause();
  }

  override _read(): void {
    this.#frames.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#frames.send('data', { id: this.#id, bytes })) done();
    else this.#frames.whenDrained(done);
  }

  override _final(done: () => void): void {
    this.#frames.send('end', { id: this.#id, bytes: Buffer.alloc(0) });
    done();
  }

  override _destroy(_error: Error | null, done: (error: Error | null) => void): void {
    this.#frames.send('end', { id: this.#id, bytes: Buffer.alloc(0) });
    this.#frames.forget(this.#id);
    this.#frames.resume();
    done(null);
  }
}
