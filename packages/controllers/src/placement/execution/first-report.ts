import type { ManifestStatus, Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { manifestStatus } from '@perigee/scheduling/placement/work/manifest-status';
import type { MemberView } from '../../members/member-view.ts';
import { manifestsOf, memberRefOf } from './manifest-writer.ts';

type Interpreters = Pick<Interpreter, 'of'>;

/** Whether nobody was told yet that the member has the Work. */
export const isUnreported = ({ status }: Work): boolean =>
  findCondition(status?.conditions, 'Applied') === undefined;

/** Whether the member will say how the manifests are doing, as soon as it has looked at them. */
export const willReport = (work: Work, interpreter: Interpreters): boolean =>
  manifestsOf(work).some(
    ({ apiVersion, kind }) => interpreter.of(apiVersion, kind).health !== undefined,
  );

/**
 * What the member says of manifests that were just delivered, to be told along with their delivery; from then on the
 * controller `work-status` tells it. Nothing while some are not seen, nor of a Job, whose report takes requests.
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
