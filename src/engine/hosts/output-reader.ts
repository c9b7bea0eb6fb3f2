import { RawOutputWriter } from '../output/raw/raw-output-writer.ts';
import { PipeReader } from '../run/pipe-io.ts';
import type { RunDirectory } from '../run/run-directory.ts';
import type { StreamName } from '../run/run-files.ts';
import { limitsPerStream, type RunRequest } from '../run/run-request.ts';
import type { StartedCommand } from '../run/supervisor.ts';

/** A started command and the request it was started with. */
export interface OutputReaderParts {
  readonly request: RunRequest;
  readonly directory: Pick<RunDirectory, 'id' | 'path'>;
  readonly started: StartedCommand;
  /** Shared by all readers of a host. */
  readonly buffer: Buffer;
}

/** Reads the output pipes of one run, writes the output files and forwards the chunks to the caller. */
export class OutputReader {
  readonly #readers: readonly PipeReader[];
  readonly #writers: readonly RawOutputWriter[];

  constructor({
    request,
    directory,
    started,
    buffer,
    onFull,
  }: OutputReaderParts & { readonly onFull: () => void }) {
    const streams = [...started.streams];
    const writers = new Map(
      streams.map(([stream]) => [
        stream,
        new RawOutputWriter({ directory: directory.path, stream, limits: limitsPerStream(request), onFull }),
      ]),
    );
    const open = ([stream, source]: readonly [StreamName, string | number]): PipeReader => {
      const writer = writers.get(stream);
      const onChunk = (chunk: Buffer): void | Promise<void> => {
        writer?.write(chunk);
        return request.onBytes?.(stream, chunk);
      };
      return new PipeReader(source, { buffer, onChunk });
    };
    const readers: PipeReader[] = [];
    this.#readers = readers;
    this.#writers = [...writers.values()];
    try {
      for (const stream of streams) readers.push(open(stream));
    } catch (error) {
      this.close();
      throw error;
    }
    for (const reader of this.#readers) reader.start();
  }

  /** Names of the anonymous pipes in `/proc/<pid>/fd`, such as `pipe:[123]`. */
  get pipes(): readonly string[] {
    return this.#readers.map((reader) => reader.name).filter((name) => name !== '');
  }

  /** Reads what is in the pipes now. `open`: a process still holds one of them. */
  drain(): 'open' | 'eof' {
    const states = this.#readers.map((reader) => reader.drain());
    return states.includes('open') ? 'open' : 'eof';
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
    for (const writer of this.#writers) writer.close();
  }

  notes(): string[] {
    return this.#writers.flatMap((writer) => writer.state().notes);
  }
}
