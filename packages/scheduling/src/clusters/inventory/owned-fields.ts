import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ManagedFieldsEntry } from '@perigee/api/meta/object-meta';
import { type DesiredTarget, type TargetField, targetFields, valueAt } from './execution-target.ts';
import { withheldFields } from './withheld-fields.ts';

/** Whether the entry owns the field, or all or a part of what is in it. */
const owns = ({ fieldsV1 }: ManagedFieldsEntry, path: readonly string[]): boolean =>
  valueAt(
    fieldsV1,
    path.map((key) => `f:${key}`),
  ) !== undefined;

/** Whether somebody else than the manager has written the field. */
const isOthers = (target: MemberCluster, path: readonly string[], manager: string): boolean =>
  (target.metadata.managedFields ?? []).some(
    (entry) => entry.manager !== manager && owns(entry, path),
  );

/** Some parts of a target, to be applied. */
export interface TargetParts {
  readonly metadata: { readonly [key: string]: unknown };
  readonly spec: { readonly [key: string]: unknown };
}

const merged = (fields: readonly TargetField[]): TargetParts => {
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
  /** Whether the target is the manager's alone, whoever else wrote to it. */
  readonly isOwn: boolean;
}

/**
 * What one manager may apply to a target that others have written to as well: its own fields, and those
 * that nobody has written. Whatever its owner wrote stays the owner's, also where both say the same, or the
 * owner could not change it any more.
 */
export const applicableParts = (
  desired: DesiredTarget,
  present: MemberCluster | undefined,
  { manager, isOwn }: TargetWriter,
): TargetParts => {
  const fields = targetFields(desired);
  if (present === undefined) return merged(fields);
  const mayWrite = (path: readonly string[]) => isOwn || !isOthers(present, path, manager);
  const own = (present.metadata.managedFields ?? []).filter((entry) => entry.manager === manager);
  const holds = (path: readonly string[]) => own.some((entry) => owns(entry, path));
  const withheld = withheldFields(desired, present, (field) => ({
    mayWrite: mayWrite(['spec', field]),
    holds: holds(['spec', field]),
  }));
  return merged(
    fields
      .filter(({ path }) => mayWrite(path))
      .flatMap((field) => {
        const { path } = field;
        if (path[0] !== 'spec' || !withheld.has(path[1] ?? '')) return [field];
        // Left out, it would be gone.
        return holds(path) ? [{ path, value: valueAt(present, path) }] : [];
      }),
  );
};
