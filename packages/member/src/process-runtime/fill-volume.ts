import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { noSuchKey } from '../config/missing-config.ts';
import { sourcesOf } from '../config/volume-sources.ts';
import { PodConfigError } from '../errors.ts';
import type { DownwardSource, KeyedSource, ProcessVolume } from '../processes/process-spec.ts';
import { fieldValue } from './field-value.ts';
import type { PodData, PodDataReader } from './pod-data.ts';

export interface FillSources {
  readonly pod: Pod;
  readonly hostIP: string;
  readonly data: PodDataReader;
}

const PRIVATE = 0o700;
const PRIVATE_FILE = 0o600;

const write = async (folder: string, files: PodData): Promise<void> => {
  for (const [path, content] of files) {
    // `..` cannot lead above the folder.
    const file = join(folder, normalize(`/${path}`));
    await mkdir(dirname(file), { recursive: true, mode: PRIVATE });
    await writeFile(file, content, { mode: PRIVATE_FILE });
  }
};

const selectKeys = (
  data: PodData,
  { items, optional }: KeyedSource,
  kind: 'ConfigMap' | 'Secret',
): PodData => {
  if (items === undefined) return data;
  const files = new Map<string, Buffer>();
  for (const { key, path } of items) {
    const content = data.get(key);
    if (content !== undefined) files.set(path, content);
    else if (!optional) throw new PodConfigError(noSuchKey(kind, key));
  }
  return files;
};

const downwardFiles = ({ items = [] }: DownwardSource, { pod, hostIP }: FillSources): PodData =>
  new Map(
    items.map(({ path, fieldRef }) => [
      path,
      Buffer.from(fieldValue(pod, fieldRef?.fieldPath ?? '', hostIP)),
    ]),
  );

/** Creates the folder of a volume, with the files of its sources. */
export const fillVolume = async (
  folder: string,
  volume: ProcessVolume,
  sources: FillSources,
): Promise<void> => {
  const { data, pod } = sources;
  await mkdir(folder, { recursive: true, mode: PRIVATE });
  for (const part of sourcesOf(volume)) {
    if (part.configMap) {
      const content = await data.configMap(part.configMap);
      await write(folder, selectKeys(content, part.configMap, 'ConfigMap'));
    }
    if (part.secret) {
      const content = await data.secret(part.secret);
      await write(folder, selectKeys(content, part.secret, 'Secret'));
    }
    if (part.serviceAccountToken) {
      const { path } = part.serviceAccountToken;
      const token = await data.token(pod, part.serviceAccountToken);
      await write(folder, new Map([[path, token]]));
    }
    if (part.downwardAPI) await write(folder, downwardFiles(part.downwardAPI, sources));
  }
};
