import { dirname, join } from 'node:path';
import type { Perigee } from '@perigee/host/start-perigee';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { paint, type Terminal } from '../output/terminal.ts';
import type { Programs } from './programs.ts';
import { followProgram, runProgram } from './run-program.ts';
import { withoutCurl } from './without-curl.ts';
import { withoutKubectl } from './without-kubectl.ts';

export interface StageOptions {
  readonly perigee: Perigee;
  readonly programs: Programs;
  /** Where files of the story are looked for: a checkout. */
  readonly root: string;
  /** Where the YAML of the story is that names folders of this machine. */
  readonly folder: string;
  /** Whether this machine can give scripts a file system of their own. */
  readonly runsScripts: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  /** Whether nothing is shown for now. */
  readonly isSilent: () => boolean;
  readonly write: (text: string) => void;
}

const PAUSE_MS = 100;
const PATIENCE_MS = 60_000;

/** As a user would have to type it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const INDENT = '     ';
/** What remains of a usual terminal beside the indentation, the prompt and the backslash. */
const LONGEST = 80 - INDENT.length - '$ '.length - ' \\'.length;

/** A flag and its value stay together. */
const parts = (words: readonly string[]): readonly string[] => {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const isValue = before !== undefined && /^-[^ =]+$/.test(before) && !word.startsWith('-');
    if (isValue) joined[joined.length - 1] = `${before} ${word}`;
    else joined.push(word);
  }
  return joined;
};

/** A command line over several lines, as a shell takes it, where one would be too long. */
const folded = (words: readonly string[]): string => {
  const lines: string[] = [];
  for (const part of parts(words)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + part.length > LONGEST) lines.push(part);
    else lines[lines.length - 1] = `${line} ${part}`;
  }
  return lines.join(` \\\n${INDENT}  `);
};

const indented = (text: string): string =>
  text
    .trimEnd()
    .replaceAll(/^/gm, INDENT)
    .replaceAll(/[ \t]+$/gm, '');

/** Where the story is played: commands are typed for everybody to see, and what was promised is checked. */
export class Stage {
  readonly #options: StageOptions;

  constructor(options: StageOptions) {
    this.#options = options;
  }

  /** The control plane, for checks beside the commands. */
  get client(): Client {
    return this.#options.perigee.client;
  }

  get runsScripts(): boolean {
    return this.#options.runsScripts;
  }

  /** What is too long to be typed: the certificates of the administrator, the address, and the YAML of the story. */
  get variables(): { readonly PKI: string; readonly SERVER: string; readonly DEMO: string } {
    const { perigee, folder } = this.#options;
    const { kubeconfig, server } = perigee;
    return { PKI: join(dirname(kubeconfig), 'pki'), SERVER: server.url, DEMO: folder };
  }

  /** Types a command, shows what it prints, and fails when it does. */
  async type(program: keyof Programs, ...args: readonly string[]): Promise<string> {
    const typed = this.#typed(program, args);
    const output = await this.#run(program, args, typed);
    if (output.trim() !== '') this.#options.write(`${indented(output)}\n`);
    return output;
  }

  /** Types a command that tells what goes on, and shows that while it does. */
  async follow(program: 'perigee', ...args: readonly string[]): Promise<void> {
    const { programs, root: cwd, signal, perigee, isSilent, write } = this.#options;
    const typed = this.#typed(program, args);
    const isDrawn = process.stdout.isTTY && !isSilent();
    const tell = (line: string): void => write(`${INDENT}${line}\n`);
    const env = { KUBECONFIG: perigee.kubeconfig };
    const options = { cwd, signal, env, ...(isDrawn ? {} : { tell }) };
    const code = await followProgram(programs[program], args, options);
    if (code !== 0) throw new CommandError(EXIT.failed, `${typed} ended with ${code}`);
  }

  #typed(program: keyof Programs, args: readonly string[]): string {
    const { terminal, write } = this.#options;
    const words = [program, ...args.map((word) => this.#short(word))];
    write(`\n${INDENT}${paint(terminal, 'bold', `$ ${folded(words)}`)}\n`);
    return words.join(' ');
  }

  #short(word: string): string {
    for (const [name, value] of Object.entries(this.variables)) {
      if (word.startsWith(value)) return `$${name}${quoted(word.slice(value.length))}`;
    }
    return quoted(word);
  }

  async #run(program: keyof Programs, args: readonly string[], typed: string): Promise<string> {
    const { programs, root: cwd, signal, perigee, terminal } = this.#options;
    const found = programs[program];
    if (found === undefined) {
      return program === 'curl' ? withoutCurl(args, cwd) : withoutKubectl(this.client, args, cwd);
    }
    const { width } = terminal;
    const env = {
      KUBECONFIG: perigee.kubeconfig,
      ...(width === undefined ? {} : { PERIGEE_COLUMNS: String(width - INDENT.length) }),
    };
    const { code, stdout, stderr } = await runProgram(found, args, { cwd, env, signal });
    if (code !== 0)
      throw new CommandError(EXIT.failed, `${typed} ended with ${code}:\n${stderr || stdout}`);
    return stdout;
  }

  /** Waits until something is true, and says so. */
  async until(what: string, isSo: () => Promise<boolean>, withinMs = PATIENCE_MS): Promise<void> {
    const { clock, signal, write, terminal } = this.#options;
    const from = clock.monotonic();
    while (!(await isSo())) {
      if (clock.monotonic() - from > withinMs) {
        throw new CommandError(
          EXIT.failed,
          `after ${withinMs / 1000} s it is not true that ${what}`,
        );
      }
      await clock.sleep(PAUSE_MS, signal);
    }
    write(`\n   ${paint(terminal, 'green', '✔')} ${what}\n`);
  }
}
