/** Kills the connections of sshds, whose numbers it is told, and now and then one of them itself. A thread of `hosts.mjs`. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** One cut in so many takes the daemon as well. */
const DAEMONS = 5;

let daemons = [];
let cuts = 0;
let crashes = 0;

function children(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
    return 1;
  } catch {
    return 0; // It has just gone.
  }
}

const cutting = setInterval(() => {
  const [daemon] = daemons.splice(Math.floor(Math.random() * daemons.length), 1);
  if (daemon === undefined) return;
  for (const pid of children(daemon)) cuts += kill(pid);
  if (Math.floor(Math.random() * DAEMONS) === 0) crashes += kill(daemon);
}, workerData.everyMs);

parentPort.on('message', (message) => {
  if (message !== 'stop') {
    daemons = message;
    return;
  }
  clearInterval(cutting);
  parentPort.postMessage({ cuts, crashes });
  parentPort.close();
});
