import type { ManifestStatus, Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { manifestStatus } from '@perigee/scheduling/placement/work/manifest-status';
import type { MemberView } from '../../members/member-view.ts';
import { manifestsOf, memberRefOf } from './manifest-writer.ts';

type Interpreters = Pick<Interpreter, 'of'>;

/** True if the delivery of the Work has not been reported. */
export const isUnreported = ({ status }: Work): boolean =>
  findCondition(status?.conditions, 'Applied') === undefined;

/** True if the member is going to report the health of the manifests. */
export const willReport = (work: Work, interpreter: Interpreters): boolean =>
  manifestsOf(work).some(
    ({ apiVersion, kind }) => interpreter.of(apiVersion, kind).health !== undefined,
  );

/**
 * The member's state of the manifests right after delivery, reported in the same write; later reports come from
 * `work-status`. Empty while an object is missing, and for Jobs, whose report takes requests.
 */
export const firstReport = (
  work: Work,
  view: MemberView,
  interpreter: Interpreters,
): readonly ManifestStatus[] | undefined => {
  const statuses: ManifestStatus[] = [];
  for (const [ordinal, manifest] of manifestsOf(work).entries()) {
    const { apiVersion, kind: name } = manifest;
    const kind = view.knownKind(apiVersion, name);
    const observed = kind && view.watched(apiVersion, name)?.get(memberRefOf(kind, manifest));
    if (kind === undefined || observed === undefined || name === 'Job') return undefined;
    statuses.push(manifestStatus({ ordinal, kind, observed }, interpreter.of(apiVersion, name)));
  }
  return statuses;
};
