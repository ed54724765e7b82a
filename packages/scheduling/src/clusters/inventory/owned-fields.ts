import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ManagedFieldsEntry } from '@perigee/api/meta/object-meta';
import { type DesiredTarget, type TargetField, targetFields, valueAt } from './execution-target.ts';
import { withheldFields } from './withheld-fields.ts';

/** True if the entry owns the field, or any part of its value. */
const owns = ({ fieldsV1 }: ManagedFieldsEntry, path: readonly string[]): boolean =>
  valueAt(
    fieldsV1,
    path.map((key) => `f:${key}`),
  ) !== undefined;

/** True if another manager owns the field. */
const isOthers = (target: MemberCluster, path: readonly string[], manager: string): boolean =>
  (target.metadata.managedFields ?? []).some(
    (entry) => entry.manager !== manager && owns(entry, path),
  );

/** A partial target, for server-side apply. */
export interface TargetParts {
  readonly metadata: { readonly [key: string]: unknown };
  readonly spec: { readonly [key: string]: unknown };
}

const partsOf = (fields: readonly TargetField[]): TargetParts => {
  const body = { metadata: {}, spec: {} } as {
    [part in keyof TargetParts]: { [key: string]: unknown };
  };
  for (const { path, value } of fields) {
    const [part, key = '', inner] = path;
    const place = body[part];
    place[key] = inner === undefined ? value : { ...(place[key] as object), [inner]: value };
  }
  return body;
};

export interface TargetWriter {
  readonly manager: string;
  /** The target belongs to this manager alone, whatever others wrote to it. */
  readonly isOwn: boolean;
}

/**
 * The fields that a manager may apply to a target with other writers: its own, and those nobody
 * owns. Fields of other owners stay theirs even where the values agree, because shared ownership
 * would keep the owner from changing them.
 */
export const applicableParts = (
  desired: DesiredTarget,
  target: MemberCluster | undefined,
  { manager, isOwn }: TargetWriter,
): TargetParts => {
  const fields = targetFields(desired);
  if (target === undefined) return partsOf(fields);
  const mayWrite = (path: readonly string[]) => isOwn || !isOthers(target, path, manager);
  const own = (target.metadata.managedFields ?? []).filter((entry) => entry.manager === manager);
  const holds = (path: readonly string[]) => own.some((entry) => owns(entry, path));
  const withheld = withheldFields(desired, target, (field) => ({
    mayWrite: mayWrite(['spec', field]),
    holds: holds(['spec', field]),
  }));
  return partsOf(
    fields
      .filter(({ path }) => mayWrite(path))
      .flatMap((field) => {
        const { path } = field;
        if (path[0] !== 'spec' || !withheld.has(path[1] ?? '')) return [field];
        // An owned field left out of an apply is removed.
        return holds(path) ? [{ path, value: valueAt(target, path) }] : [];
      }),
  );
};
