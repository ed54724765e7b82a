import { hash } from 'node:crypto';
import { WORKSHOP } from '../plan/decide-entry.ts';
import type { S3Client } from './s3-client.ts';
import { isMissing } from './s3-connection.ts';
import { prefixOf } from './s3-entry.ts';
import { listObjects } from './s3-listing.ts';

/** Beside a tree there are notes of the uploads that are under way, by which another run finds them. */
const notesOf = (treePath: string): string => `${prefixOf(treePath)}${WORKSHOP}/`;

const LONGEST_NOTE = 4096;

/** The key of the note about an upload of this very content. */
export const noteKey = (treePath: string, key: string, digest: string): string =>
  `${notesOf(treePath)}${hash('sha256', `${key}\0${digest}`).slice(0, 32)}`;

interface UploadNote {
  readonly id: string;
  readonly key: string;
}

export const readNote = async (client: S3Client, note: string): Promise<UploadNote | undefined> => {
  try {
    const [id = '', key = ''] = (await client.read(note, LONGEST_NOTE)).toString().split('\n');
    return id === '' ? undefined : { id, key };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

export const writeNote = async (
  client: S3Client,
  note: string,
  { id, key }: UploadNote,
): Promise<void> => {
  const text = Buffer.from(`${id}\n${key}`);
  await client.put(note, text, hash('sha256', text), {});
};

/**
 * Gives up what earlier runs have left of uploads, once the tree is complete: parts of content that has changed since
 * are in no listing, and are paid for. Of an upload that was complete when its mover was killed, the note is left.
 */
export const giveUpUploads = async (client: S3Client, treePath: string): Promise<void> => {
  for await (const { key: note } of listObjects(client, notesOf(treePath), () => {})) {
    const upload = await readNote(client, note);
    // It may be complete, and not everybody may give uploads up: the tree is there in any case.
    if (upload?.key) await client.uploads.abort(upload.key, upload.id).catch(() => {});
    await client.remove(note);
  }
};
