import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { exactInteger } from '@perigee/schema/exact-json';
import type { JsonValue } from '@perigee/schema/json';
import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';

/** A document of a file, and its name in errors. */
export interface SourceDocument {
  readonly where: string;
  readonly value: JsonValue;
}

const STDIN = '-';
const READ_IN_FOLDERS = /\.(ya?ml|json)$/;

const unreadable = (path: string, error: unknown): CommandError => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT'
    ? new CommandError(EXIT.notFound, `there is no file or folder ${path}: check the path`)
    : new CommandError(EXIT.failed, `${path} cannot be read`, { cause: error });
};

/** The files of a folder, sorted by name; a file stands for itself. */
const filesOf = (path: string): readonly string[] => {
  try {
    if (path === STDIN || !statSync(path).isDirectory()) return [path];
    const files = readdirSync(path).filter((name) => READ_IN_FOLDERS.test(name));
    if (files.length > 0) return files.toSorted().map((name) => join(path, name));
  } catch (error) {
    throw unreadable(path, error);
  }
  throw new CommandError(EXIT.notFound, `the folder ${path} has no .yaml, .yml or .json files`);
};

const readText = async (path: string): Promise<string> => {
  if (path === STDIN) return text(process.stdin);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
};

/** Converts integers as everywhere in Perigee: numbers, unless they exceed the safe range. */
const exactly = (_: unknown, value: unknown): unknown =>
  typeof value === 'bigint' ? exactInteger(value) : value;

/** Aliases can make a short text a value that no memory holds; the parser counts them. */
const contentOf = (document: Document, where: string): JsonValue => {
  try {
    return document.toJS({ reviver: exactly }) as JsonValue;
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new CommandError(EXIT.invalid, `${where} cannot be read: ${error.message}`);
  }
};

/** One YAML parser suffices, since JSON is YAML. */
const parse = (content: string, name: string): readonly SourceDocument[] => {
  const lineCounter = new LineCounter();
  const yamlDocuments = parseAllDocuments(content, {
    lineCounter,
    prettyErrors: false,
    intAsBigInt: true,
  });
  const documents = 'empty' in yamlDocuments ? [] : yamlDocuments;
  const read = documents.map((document, at): SourceDocument => {
    const [problem] = document.errors;
    if (problem !== undefined) {
      const { line, col } = lineCounter.linePos(problem.pos[0]);
      const isTooDeep = problem.code === 'RESOURCE_EXHAUSTION';
      const what = `line ${line}, column ${col}: ${isTooDeep ? 'it nests too deeply' : problem.message}`;
      throw new CommandError(EXIT.invalid, `${name} is neither YAML nor JSON (${what})`);
    }
    const where = documents.length === 1 ? name : `${name}, document ${at + 1}`;
    return { where, value: contentOf(document, where) };
  });
  const present = read.filter(({ value }) => value !== null);
  if (present.length > 0) return present;
  throw new CommandError(EXIT.invalid, `${name} is empty: it describes nothing`);
};

/** Reads all documents of the files, of the files in folders, and of standard input (`-`). */
export const readDocuments = async (
  paths: readonly string[],
): Promise<readonly SourceDocument[]> => {
  const documents: SourceDocument[] = [];
  for (const file of paths.flatMap(filesOf)) {
    const name = file === STDIN ? 'the standard input' : file;
    documents.push(...parse(await readText(file), name));
  }
  return documents;
};
