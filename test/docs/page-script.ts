import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { FencedBlock } from './fenced-blocks.ts';

/** A page as a program: one shell script, and the files that it uses. */
export interface PageScript {
  readonly script: string;
  readonly files: { readonly [name: string]: string };
}

type Tree = { [key: string]: unknown };
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mergeTrees = (base: unknown, part: unknown): unknown =>
  isTree(base) && isTree(part)
    ? Object.fromEntries(
        [...Object.keys(base), ...Object.keys(part)].map((key) => [
          key,
          key in part ? mergeTrees(base[key], part[key]) : base[key],
        ]),
      )
    : part;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Prose that stands in a block for its shape. */
const PICTURES = new Set(['text', 'mermaid']);

/** Shell commands of one block; files it needs are put into `files`. */
const commandsOf = (block: FencedBlock, root: string, files: { [name: string]: string }) => {
  const { language, body, line, note } = block;
  if (note?.kind === 'file') {
    files[note.text] = body;
    return '';
  }
  if (note?.kind === 'in') {
    const [base] = parseAllDocuments(readFileSync(join(root, note.text), 'utf8'));
    files[`block-${line}.yaml`] = stringify(mergeTrees(base?.toJS(), parse(body)));
    return `kubectl apply --server-side --force-conflicts --dry-run=server -f block-${line}.yaml`;
  }
  switch (language) {
    case 'sh':
      return note?.kind === 'with' ? `${note.text}\n${body}` : body;
    case 'yaml':
    case 'json':
      files[`block-${line}.${language}`] = body;
      return `kubectl apply -f block-${line}.${language}`;
    case 'ts':
      files[`block-${line}.ts`] = note?.kind === 'with' ? `${note.text}\n${body}` : body;
      return `node block-${line}.ts`;
    default:
      throw new Error(
        `the block at line ${line} is of the language "${language}": mark it as sh, yaml, json or ts, ` +
          'which are run, or as text or mermaid, which are not',
      );
  }
};

/** For pages that speak of a control plane without starting one. */
const CONTROL_PLANE = 'perigee up >/dev/null\nexport KUBECONFIG=.perigee/kubeconfig';

/** True if the page needs a control plane that runs already. */
const expectsControlPlane = (commands: string): boolean =>
  /\b(kubectl|perigee) /.test(commands) && !/\bperigee (up|demo)\b/.test(commands);

/**
 * All blocks of a page, one after another in one shell, so that a later block finds what an earlier
 * one made. Those that are not run are checked for their syntax.
 */
export const pageScript = (blocks: readonly FencedBlock[], root: string): PageScript => {
  const files: { [name: string]: string } = {};
  const lines: string[] = [];
  for (const block of blocks) {
    if (PICTURES.has(block.language)) continue;
    lines.push(`trap 'echo "the block at line ${block.line} failed" >&2' ERR`);
    if (block.note?.kind !== 'not run') lines.push(commandsOf(block, root, files));
    else if (block.language === 'sh') lines.push(`bash -n -c ${quoted(block.body)}`);
  }
  const commands = `${lines.join('\n')}\n`;
  const before = expectsControlPlane(commands) ? CONTROL_PLANE : '';
  return { script: `set -euo pipefail\n${before}\n${commands}`, files };
};
