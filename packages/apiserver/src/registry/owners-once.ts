import type { JsonObject } from '@perigee/schema/json';
import type { InputOptions } from './decode-input.ts';
import { metaOf, withMeta } from './metadata.ts';

/** The object with each of its owners once. Whoever names one twice is told so. */
export const withOwnersOnce = (
  object: JsonObject,
  { warn, isPatched = false }: Pick<InputOptions, 'warn' | 'isPatched'>,
): JsonObject => {
  const { ownerReferences: owners = [] } = metaOf(object);
  if (owners.length < 2) return object;
  const seen = new Map<string, string>();
  const repeated = new Set<string>();
  const once = owners.filter((owner) => {
    const text = JSON.stringify(Object.entries(owner).sort(([a], [b]) => (a < b ? -1 : 1)));
    const isNew = !seen.has(text);
    if (!isNew) repeated.add(owner.uid);
    seen.set(text, owner.uid);
    return isNew;
  });
  if (once.length === owners.length) return object;
  warn?.(
    `.metadata.ownerReferences contains duplicate entries${isPatched ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  );
  return withMeta(object, { ...metaOf(object), ownerReferences: once });
};
