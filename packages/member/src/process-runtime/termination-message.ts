import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBelow } from '../isolation/open-below.ts';
import type { ProcessContainer } from '../processes/process-spec.ts';
import type { Bind } from '../processes/spawn.ts';
import type { HostPlace } from './host-path.ts';
import { messagePathOf } from './mount-path.ts';
import type { PodFolder } from './pod-folder.ts';
import type { PodVolumes } from './pod-volumes.ts';

/** Limit of a kubelet. */
const MESSAGE_BYTES = 4096;
const LOG_BYTES = 2048;
export const LOG_LINES = 80;

/** The pod may have replaced the file by a link, or a pipe without a writer. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The termination message file of a container. */
export interface TerminationFile {
  /** Mounts an empty file at the path, if that is not in a volume. */
  readonly bind?: Bind;
  /** The present content; empty if unchanged since the container began. */
  read(): Promise<string>;
}

const openAt = ({ from, below }: HostPlace): Promise<FileHandle> =>
  process.platform === 'linux'
    ? openBelow(from, below, { flags: READ })
    : open(join(from, below), READ);

/** The end of a file, and its modification time. */
const readEnd = async (place: HostPlace): Promise<{ text: string; version: string }> => {
  const file = await openAt(place).catch(() => undefined);
  if (file === undefined) return { text: '', version: '' };
  try {
    const { size, ino, mtimeNs } = await file.stat({ bigint: true });
    const length = Math.min(Number(size), MESSAGE_BYTES);
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(length),
      0,
      length,
      Number(size) - length,
    );
    return { text: buffer.toString('utf8', 0, bytesRead), version: `${ino}/${size}/${mtimeNs}` };
  } catch {
    // Not a regular file, for instance a folder.
    return { text: '', version: '' };
  } finally {
    await file.close();
  }
};

const emptyFile = async (folder: PodFolder, id: string): Promise<HostPlace> => {
  const file = join(folder.messages, id);
  await mkdir(folder.messages, { recursive: true, mode: 0o700 });
  await rm(file, { force: true });
  await writeFile(file, '', { mode: 0o600, flag: 'wx' });
  await folder.handOverFile(file);
  return { from: folder.messages, below: id };
};

/** The message of a container that an earlier runtime has started. In a volume it may be that of another one. */
export const recordedMessage = async (folder: PodFolder, id: string): Promise<string> =>
  (await readEnd({ from: folder.messages, below: id })).text;

/** Prepares the termination message file of a starting container. */
export const openTerminationFile = async (
  container: ProcessContainer,
  id: string,
  folder: PodFolder,
  volumes: PodVolumes,
): Promise<TerminationFile> => {
  const to = messagePathOf(container);
  const location = volumes.locate(container, to);
  if (folder.isSandboxed && location === undefined) {
    const place = await emptyFile(folder, id);
    return { bind: { ...place, to }, read: async () => (await readEnd(place)).text };
  }
  const place = location ?? { from: folder.root, below: to };
  const before = await readEnd(place);
  return {
    read: async () => {
      const now = await readEnd(place);
      return now.version === before.version ? '' : now.text;
    },
  };
};

/** The end of the log, as message of a container that failed without one. */
export const endOfLog = async (log: AsyncIterable<Buffer>): Promise<string> => {
  let end = Buffer.alloc(0);
  for await (const bytes of log) end = Buffer.concat([end, bytes]).subarray(-LOG_BYTES);
  return end.toString();
};
