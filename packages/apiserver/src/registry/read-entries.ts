import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Entry } from '../store/store.ts';
import { entrySlices, READ_SLICE } from './entry-slices.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';

/** The objects of entries as the resource shows them, read slice by slice: others get turns in between. */
export const readEntries = async (
  { clock }: Pick<Registry, 'clock'>,
  resource: ServedResource,
  entries: readonly Entry[],
): Promise<readonly JsonObject[]> => {
  const { read } = formOf(resource);
  const objects: JsonObject[] = [];
  for (const slice of entrySlices(entries, READ_SLICE)) {
    if (objects.length > 0) await clock.yield();
    for (const entry of slice) objects.push(read(entry));
  }
  return objects;
};
