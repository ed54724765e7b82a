import type { FieldSet } from '@perigee/kubernetes/meta/field-set';
import { present } from '@perigee/schema/present';
import type { FieldOwner } from './field-owner.ts';
import { describePath, pathsOf } from './path-element.ts';

/** Fields that an apply would change although another manager owns them. */
export interface Conflict {
  readonly owner: FieldOwner;
  readonly fields: FieldSet;
}

/** A cause in the details of the 409 that reports conflicts. */
export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  readonly message: string;
  readonly field: string;
}

/** Message and causes of an apply that conflicts, in the words that kubectl shows. */
export interface ApplyConflicts {
  readonly message: string;
  readonly causes: readonly ConflictCause[];
}

const describeOwner = ({ manager, subresource, operation, apiVersion }: FieldOwner): string => {
  const through =
    subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${through}${version}`;
};

/**
 * Sort key of an owner, as in Kubernetes: of two that differ in nothing else, the one with a subresource is first.
 */
const rankOf = ({ manager, operation, apiVersion, subresource }: FieldOwner): string =>
  JSON.stringify({
    manager,
    operation,
    ...(operation === 'Update' ? { apiVersion } : {}),
    ...present({ subresource }),
  });

/** Conflicts in the order of the managers' names. */
export const reportConflicts = (conflicts: readonly Conflict[]): ApplyConflicts => {
  const groups = conflicts
    .toSorted((a, b) => (rankOf(a.owner) < rankOf(b.owner) ? -1 : 1))
    .map(({ owner, fields }) => ({
      owner: describeOwner(owner),
      fields: [...pathsOf(fields)].map(describePath),
    }));
  const causes = groups.flatMap(({ owner, fields }) =>
    fields.map(
      (field): ConflictCause => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${owner}`,
        field,
      }),
    ),
  );
  const [first] = causes;
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${first?.message}: ${first?.field}`
      : `Apply failed with ${causes.length} conflicts: ${groups
          .map(({ owner, fields }) =>
            [`conflicts with ${owner}:`, ...fields.map((field) => `- ${field}`)].join('\n'),
          )
          .join('\n')}`;
  return { message, causes };
};
