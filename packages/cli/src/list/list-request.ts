import type { Command } from 'commander';
import { outputOption } from '../output/structured-output.ts';

/** Options of `list` and `get`. */
export interface ListOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
  readonly watch?: boolean;
  /** False with `--no-headers`. */
  readonly headers: boolean;
}

export interface ListRequest extends ListOptions {
  /** The kind, by any of its names. */
  readonly kind: string;
  /** The names; all objects of the kind when empty. */
  readonly names: readonly string[];
  /** The id of a cluster, as an alternative to its name. */
  readonly id?: string;
}

/** Adds the options shared by commands that show objects. */
export const addListOptions = (command: Command): Command =>
  command
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .option('-A, --all-namespaces', 'look in all namespaces')
    .option('-l, --selector <labels>', 'only those with these labels, such as app=web,tier!=test')
    .option('--field-selector <fields>', 'only those with these fields, such as status.phase=Ready')
    .addOption(outputOption('wide', 'name'))
    .option('-w, --watch', 'go on and print what changes')
    .option('--no-headers', 'leave out the line that names the columns');
