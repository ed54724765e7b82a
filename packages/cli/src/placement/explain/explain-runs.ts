import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { explainWork, type WorkExplanation } from '@perigee/scheduling/explain/explain-work';
import { read } from '@perigee/scheduling/explain/snapshot';
import { OPERATION_KINDS, type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { OPERATION, operationLabel } from '@perigee/scheduling/flows/operation-run-objects';
import type { MemberAccess } from './read-members.ts';
import { readSnapshot } from './read-snapshot.ts';
import { readingList } from './reading.ts';

const JOBS = { apiVersion: 'batch/v1', kind: 'Job' };

/**
 * Explains the Jobs of an operation that is under way, which are placed like other work. None for an operation that is
 * complete, and for any other kind of object.
 */
export const explainRuns = async (
  client: Client,
  mapper: RestMapper,
  { kind: kindName, namespace = '', name }: NamedResource,
  access: MemberAccess,
  nowMs: number,
): Promise<readonly WorkExplanation[]> => {
  const definition = OPERATION_KINDS.find(({ kind }) => kind === kindName);
  if (definition === undefined) return [];
  const operation: Operation = await client.get(definition, { namespace, name });
  if (statusOf(operation).phase === 'Complete') return [];
  const kind = await mapper.byKind(JOBS.apiVersion, JOBS.kind);
  const labelSelector = `${OPERATION}=${operationLabel(operation)}`;
  const jobs = await readingList(
    'Jobs',
    listAll(client, kind, { namespace, labelSelector }).then(({ items }) => items),
  );
  return Promise.all(
    read(jobs, []).map(async ({ metadata }) => {
      const resource = { ...JOBS, namespace, name: metadata.name };
      return explainWork(await readSnapshot(client, { kind, resource }, access, nowMs));
    }),
  );
};
