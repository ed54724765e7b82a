import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Condition } from '@perigee/api/meta/condition';
import { findCondition } from '@perigee/api/values/conditions';
import { askedFor } from '@perigee/scheduling/data/provision/made-source';
import type { ProvisionerConfigs } from '@perigee/scheduling/data/provision/provisioner-config';
import { present } from '@perigee/schema/present';

/** The state of a provisioner, as claims and sources reveal it. */
export interface ProvisionerLine {
  readonly system: string;
  /** `webhook` or `amoro`; absent when its entry cannot be read. */
  readonly plugin?: string;
  readonly state: 'Answering' | 'Failing' | 'Misconfigured' | 'NotAskedYet';
  /** Number of sources that it created. */
  readonly sources: number;
  /** Number of claims that wait for its data. */
  readonly waiting: number;
  /** The error, if there is one. */
  readonly message?: string;
}

const FAULTS: ReadonlySet<string> = new Set(['ProvisionerUnavailable', 'AnswerUnusable']);

type Stated = Pick<ProvisionerLine, 'state' | 'message'>;

const stateOf = (
  problem: string | undefined,
  conditions: readonly Condition[],
  isKnown: boolean,
): Stated => {
  const wrong = conditions.find(({ reason }) => reason === 'ProvisionerMisconfigured');
  const message = problem ?? wrong?.message;
  if (message !== undefined) return { state: 'Misconfigured', message };
  const fault = conditions.find(
    ({ status, reason }) =>
      status === 'False' && (FAULTS.has(reason) || reason === 'RefreshFailed'),
  );
  if (fault !== undefined) return { state: 'Failing', message: fault.message };
  return { state: isKnown ? 'Answering' : 'NotAskedYet' };
};

/** All configured provisioners with their state. */
export const provisionerLines = (
  { bySystem, problems, wrongSystems }: ProvisionerConfigs,
  sources: readonly DataSource[],
  claims: readonly DataSourceClaim[],
): readonly ProvisionerLine[] => {
  const entries = [
    ...[...bySystem.values()].map(({ system, key, plugin }) => ({ system, key, plugin })),
    ...[...wrongSystems].map(([system, key]) => ({ system, key, plugin: undefined })),
  ];
  return entries
    .map(({ system, key, plugin }): ProvisionerLine => {
      const ownSources = sources.filter((source) => askedFor(source)?.system === system);
      const waitingClaims = claims.filter(
        ({ spec, status }) => spec.system === system && status?.boundDataSource === undefined,
      );
      const conditions: readonly Condition[] = [
        ...waitingClaims.flatMap(
          ({ status }) => findCondition(status?.conditions, 'Provisioned') ?? [],
        ),
        ...ownSources.flatMap(
          ({ status }) => findCondition(status?.conditions, 'Provisioned') ?? [],
        ),
      ];
      const isKnown = ownSources.length > 0 || conditions.some(({ reason }) => reason !== 'Asking');
      return {
        system,
        ...present({ plugin }),
        ...stateOf(problems.get(key), conditions, isKnown),
        sources: ownSources.length,
        waiting: waitingClaims.length,
      };
    })
    .sort((a, b) => (a.system < b.system ? -1 : 1));
};
