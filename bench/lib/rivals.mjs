import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { execa } from 'execa';

/** What everybody does: a child of Node, its output collected. */
export function rawSpawn(command) {
  return new Promise((resolve) => {
    const child = spawn('/bin/bash', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

/** The same, read and thrown away. */
export function rawDiscard(command) {
  return new Promise((resolve) => {
    const child = spawn('/bin/bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.on('data', () => undefined);
    child.on('close', resolve);
  });
}

/** The same, written to a file the way most tools do it. */
export function rawToStream(command, file) {
  return new Promise((resolve) => {
    const child = spawn('/bin/bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.pipe(createWriteStream(file)).on('close', resolve);
  });
}

/** The shell alone: no output passes through Node. */
export function shellOnly(command) {
  return new Promise((resolve) => {
    spawn('/bin/bash', ['-c', command], { stdio: 'ignore' }).on('close', resolve);
  });
}

export const withExeca = (command) =>
  execa('/bin/bash', ['-c', command], { stdin: 'ignore', all: true, reject: false });
export const withExecaDiscard = (command) =>
  new Promise((resolve) => {
    const child = execa('/bin/bash', ['-c', command], { stdin: 'ignore', buffer: false, reject: false });
    child.stdout.on('data', () => undefined);
    child.then(resolve);
  });
