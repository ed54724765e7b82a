import {
  boolean,
  int32,
  list,
  listMap,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';
import { conditions, observedGeneration } from '../../fragments/fragments.ts';
import { targetClusters } from './target-cluster.ts';
import { workloadReferenceFields } from './workload-reference.ts';

const triggeredTarget = () =>
  object('What became of one resource.', {
    ...workloadReferenceFields(),
    result: oneOf(
      'Pending: its turn has not come. Held: scheduling it is suspended; it follows on release. Triggered: asked for, not yet scheduled. Scheduled: it moved. NoChange: scheduled to where it was. Skipped: it stays as it is, see reason. Failed: see reason.',
      ['Pending', 'Held', 'Triggered', 'Scheduled', 'NoChange', 'Skipped', 'Failed'],
    ),
    reason: optional(string('A word for the cause, for programs.')),
    message: optional(string('A sentence about the cause, for people.')),
    triggeredAt: optional(time('When the binding of the resource was told to schedule afresh.')),
    before: optional(targetClusters('Where the resource was.')),
    after: optional(targetClusters('Where the resource is now.')),
    replicasMoved: optional(
      int32('How many replicas are in another cluster than before.', { minimum: 0 }),
    ),
  });

const failedResource = () =>
  object('A resource that could not be scheduled afresh.', {
    ...workloadReferenceFields(),
    failReason: optional(string('What went wrong.')),
  });

const count = (description: string) => int32(description, { minimum: 0 });

const counts = () =>
  object('How many resources have which result, also of those that the lists leave out.', {
    total: count('All resources that are meant.'),
    pending: count('Those whose turn has not come.'),
    held: count('Those whose scheduling is suspended.'),
    triggered: count('Those that the scheduler has not dealt with yet.'),
    scheduled: count('Those that moved.'),
    noChange: count('Those that were scheduled to where they were.'),
    skipped: count('Those that stay as they are.'),
    failed: count('Those that failed.'),
    replicasMoved: count('The replicas that are in another cluster than before.'),
  });

const RUN_CAUSES = ['Schedule', 'ClusterReturned', 'ClusterJoined'] as const;

const runFields = () => ({
  startTime: time('When the run began; it tells the runs apart.'),
  cause: oneOf('What made it begin.', RUN_CAUSES),
  clusters: optional(
    list('The clusters that came back or joined.', string('The name of a cluster.')),
  ),
});

const pastRun = () =>
  object('A run that is over.', {
    ...runFields(),
    finishTime: time('When every target had a result.'),
    scheduled: count('The resources that moved.'),
    failed: count('The resources that failed.'),
    replicasMoved: count('The replicas that moved.'),
  });

const clusterReturn = () =>
  object('A cluster that came back or joined since the trigger is there.', {
    name: string('The name of the cluster.'),
    readySince: time('Since when it is, or was last, ready.'),
    returns: list('When it became ready, in the last 24 hours.', time('A time.')),
    isDone: boolean('Whether a run has dealt with it.'),
  });

const standing = () =>
  object('What is known of a standing trigger, beside its last run.', {
    since: time('Since when it looks at clusters.'),
    nextRunTime: optional(time('When it runs next, if only time has to pass.')),
    lastScheduleTime: optional(time('The time of the schedule that it last ran for.')),
    run: optional(object('The run that is under way, or the last one.', runFields())),
    recentRuns: optional(list('The runs of the last 24 hours, and the five before.', pastRun())),
    clusters: optional(listMap('Clusters that came back or joined.', ['name'], clusterReturn())),
  });

/** Status of a trigger. Bounded for any number of selected resources: an object has a size limit. */
export const scheduleTriggerStatus = () =>
  object('What became of it.', {
    phase: withDefault(
      'Running',
      oneOf(
        'Running while a target has no result yet, Success when all of them were scheduled, Failed when one was not.',
        ['Running', 'Failed', 'Success'],
      ),
    ),
    observedGeneration: optional(observedGeneration()),
    startTime: optional(time('When the targets were looked up.')),
    finishTime: optional(time('When every target had a result.')),
    counts: optional(counts()),
    targets: optional(
      list(
        'Resources: their results, where they were, and where they are now. The first 1000 that failed, and at most 500 others; counts tells of all.',
        triggeredTarget(),
      ),
    ),
    failedResourceList: optional(
      list('The resources that failed, and why; the first 1000.', failedResource()),
    ),
    standing: optional(standing()),
    conditions: optional(
      conditions<'ScheduleTrigger'>(
        'What is known about the trigger: Complete says whether it has done its work.',
      ),
    ),
  });

export type ScheduleTriggerStatus = StoredOf<ReturnType<typeof scheduleTriggerStatus>>;
export type TriggeredTarget = StoredOf<ReturnType<typeof triggeredTarget>>;
export type TriggerCounts = StoredOf<ReturnType<typeof counts>>;
export type StandingState = StoredOf<ReturnType<typeof standing>>;
export type ClusterReturn = StoredOf<ReturnType<typeof clusterReturn>>;
export type PastRun = StoredOf<ReturnType<typeof pastRun>>;
export type FailedResource = StoredOf<ReturnType<typeof failedResource>>;
