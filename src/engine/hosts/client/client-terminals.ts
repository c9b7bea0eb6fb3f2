/** The terminals of the program that a person looks at, such as an editor. Calls may fail or never be answered. */
export interface ClientTerminals {
  create(request: ClientTerminalRequest): Promise<ClientTerminal>;
}

/** What is to run in a terminal: a program and its words, not a line for a shell. */
export interface ClientTerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to what the client gives its terminals. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** How much of the output the client is to hold; the start goes first. */
  readonly outputByteLimit: number;
}

/** A program in a terminal of the client. */
export interface ClientTerminal {
  readonly id: string;
  /** What is held of the output, and how the program ended if it has. */
  output(): Promise<ClientTerminalOutput>;
  waitForExit(): Promise<ClientExit>;
  /** Ends the program; its output can still be read. */
  kill(): Promise<unknown>;
  /** Ends it if need be, and gives the terminal back. */
  release(): Promise<unknown>;
}

export interface ClientTerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus?: ClientExit | null;
}

export interface ClientExit {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}
