import type { JsonObject } from '@perigee/schema/json';
import { int32, list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';
import { mapObject, objectAt, without } from '../../kind/reshape.ts';
import { labelKey } from './label-syntax.ts';
import { normalisePurgeMode } from './purge-mode.ts';

const DEFAULT_GRACE_PERIOD_SECONDS = 600;

const statePreservation = (description: string) =>
  object(description, {
    rules: list(
      'What to keep.',
      object('One value that the work takes with it.', {
        aliasLabelName: labelKey('The label that carries the value to the new cluster.'),
        jsonPath: string(
          'Where the value is within the status of the work, as a JSONPath: {.availableReplicas} for status.availableReplicas.',
        ),
      }),
    ),
  });

const applicationFailover = (description: string) =>
  check(
    object(description, {
      decisionConditions: object('What must be so before the application is moved.', {
        tolerationSeconds: withDefault(
          300,
          int32('How long the application may be unhealthy; 0 moves it at once.', { minimum: 0 }),
        ),
      }),
      purgeMode: withDefault(
        'Gracefully',
        oneOf(
          'What happens in the old cluster: Directly deletes before the new one starts, Gracefully waits until the new one is healthy or gracePeriodSeconds are over, Never leaves it to you.',
          ['Directly', 'Gracefully', 'Never'],
        ),
      ),
      gracePeriodSeconds: optional(
        int32(
          'How long to wait for the new one before the old one is deleted anyway. For Gracefully only, where it is 600 when left out.',
          { minimum: 1 },
        ),
      ),
      statePreservation: optional(
        statePreservation('What the application takes with it to the new cluster.'),
      ),
    }),
    {
      rule: "self.purgeMode == 'Gracefully' || !has(self.gracePeriodSeconds)",
      message: 'gracePeriodSeconds has a meaning with purgeMode Gracefully only; leave it out',
      fieldPath: '.gracePeriodSeconds',
    },
    {
      rule: "self.purgeMode != 'Gracefully' || has(self.gracePeriodSeconds)",
      message: 'purgeMode Gracefully needs gracePeriodSeconds, such as 600',
      reason: 'FieldValueRequired',
      fieldPath: '.gracePeriodSeconds',
    },
  );

const clusterFailover = (description: string) =>
  object(description, {
    purgeMode: withDefault(
      'Gracefully',
      oneOf(
        'What happens in the old cluster: Directly deletes before the new one starts, Gracefully waits until the new one is healthy.',
        ['Directly', 'Gracefully'],
      ),
    ),
    statePreservation: optional(
      statePreservation('What the application takes with it to the new cluster.'),
    ),
  });

/** When and how work moves away from trouble. */
export const failover = (description: string) =>
  object(description, {
    application: optional(
      applicationFailover(
        'When the application itself is unhealthy; it stays where it is when left out. Needs propagateDeps, so that what the application depends on moves along.',
      ),
    ),
    cluster: optional(
      clusterFailover(
        'When a taint drives work out of its cluster; the control plane’s own setting when left out.',
      ),
    ),
  });

/** Runs before defaults are filled in: without a purge mode the application moves gracefully. */
const isGraceful = ({ purgeMode }: JsonObject): boolean =>
  (purgeMode ?? 'Gracefully') === 'Gracefully';

/** A grace period that was filled in goes again with the purge mode that it was filled in for. */
const normaliseApplication = (application: JsonObject, old: JsonObject | undefined): JsonObject => {
  const { gracePeriodSeconds } = application;
  if (isGraceful(application)) {
    return { gracePeriodSeconds: DEFAULT_GRACE_PERIOD_SECONDS, ...application };
  }
  const isLeftOver =
    gracePeriodSeconds === DEFAULT_GRACE_PERIOD_SECONDS &&
    gracePeriodSeconds === old?.gracePeriodSeconds &&
    isGraceful(old);
  return isLeftOver ? without(application, 'gracePeriodSeconds') : application;
};

/** Fills in what the failover of a policy or binding means when it leaves something out. */
export const normaliseFailover = (spec: JsonObject, old: JsonObject | undefined): JsonObject => {
  const oldApplication = objectAt(objectAt(old, 'failover'), 'application');
  return mapObject(spec, 'failover', (failover) =>
    mapObject(
      mapObject(failover, 'application', (application) =>
        normaliseApplication(normalisePurgeMode(application), oldApplication),
      ),
      'cluster',
      normalisePurgeMode,
    ),
  );
};

export type FailoverBehavior = StoredOf<ReturnType<typeof failover>>;
