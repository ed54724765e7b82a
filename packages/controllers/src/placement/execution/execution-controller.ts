import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Work } from '@perigee/api/kinds/placement/work';
import type { NewCondition } from '@perigee/api/values/conditions';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { isConflict } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { isGoing, isLeftBehind } from '@perigee/scheduling/clusters/lifecycle/going-cluster';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { sameContent } from '@perigee/scheduling/placement/work/member-object';
import { WORK_FINALIZER } from '@perigee/scheduling/placement/work/work-names';
import { PropagationError } from '../../errors.ts';
import { type GateLimits, MemberGate } from '../../members/member-gate.ts';
import type { MemberInformers } from '../../members/member-informers.ts';
import type { MemberView } from '../../members/member-view.ts';
import { tenantOfWork } from '../binding-work/binding-index.ts';
import { type DeliveryFailure, DeliveryReports } from './delivery-reports.ts';
import { removeManifest } from './manifest-remover.ts';
import { type Delivery, type Manifest, ManifestWriter, manifestsOf } from './manifest-writer.ts';
import { isReady, serving } from './served-clusters.ts';
import { appliedCondition, dispatching, writeConditions } from './work-conditions.ts';
import { clusterSource, memberSource } from './work-sources.ts';

export interface ExecutionOptions {
  readonly members: MemberInformers;
  readonly interpreter: Interpreter;
  /** The clusters of an agent; by default all in push mode. */
  readonly clusters?: readonly string[];
  readonly concurrency?: number;
  /** Rate limits per member. */
  readonly limits?: Partial<GateLimits>;
}

/** Time limit of a request to a member. */
const MEMBER_TIMEOUT_MS = 30_000;
/** Fallback for a missed notification about a new connection. */
const NO_WAY_RETRY_MS = 30_000;

interface Task {
  readonly work: Work;
  readonly cluster: MemberCluster;
  readonly view: MemberView;
}

const isWorkChange = (now: Work | undefined, before: Work | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp;

class Execution {
  readonly #options: ExecutionOptions;
  readonly #serves: (cluster: MemberCluster) => boolean;
  readonly #writer: ManifestWriter;
  readonly #reports: DeliveryReports;
  #gate: MemberGate | undefined;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#serves = serving(options.clusters);
    this.#writer = new ManifestWriter(options.interpreter);
    this.#reports = new DeliveryReports(options.interpreter);
  }

  get ending(): Source {
    return this.#reports.ending;
  }

  async reconcile(ref: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const name = clusterOfExecutionNamespace(ref.namespace ?? '');
    if (name === undefined) return undefined;
    const work = context.cache(Work).get(ref);
    if (work === undefined) {
      this.#forget(name, ref);
      return undefined;
    }
    const cluster = context.cache(MemberCluster).get({ name });
    const isEnding = work.metadata.deletionTimestamp !== undefined;
    // Without the cluster there are no objects to write or delete.
    if (cluster === undefined) return isEnding ? this.#letGo(work, context) : undefined;
    if (!this.#serves(cluster)) return undefined;
    if (isEnding) return this.#end(work, cluster, context);
    if (work.spec.suspendDispatching === true || !isReady(cluster)) {
      await writeConditions(work, this.#withheld(work, cluster, context), context);
      return undefined;
    }
    const view = this.#options.members.viewOf(cluster);
    if (view === undefined) return { requeueAfterMs: NO_WAY_RETRY_MS };
    return this.#deliver({ work: await this.#hold(work, context), cluster, view }, context);
  }

  /** Its objects are to go with a Work that a user wrote, too. */
  async #hold(work: Work, { client, signal }: ReconcileContext): Promise<Work> {
    if (hasFinalizer(work, WORK_FINALIZER)) return work;
    const finalizers = addFinalizer(work.metadata.finalizers, WORK_FINALIZER);
    return setFinalizers(client, Work, work, finalizers, { signal });
  }

  /** The condition of a Work that is not delivered now. Suspending it changes nothing in the member. */
  #withheld(
    work: Work,
    cluster: MemberCluster,
    context: ReconcileContext,
  ): readonly NewCondition<'Work'>[] {
    const view = isReady(cluster) ? this.#options.members.viewOf(cluster) : undefined;
    const isThere =
      view !== undefined &&
      manifestsOf(work).every((manifest) =>
        this.#writer.isThere(manifest, this.#deliveryOf({ work, cluster, view }, context)),
      );
    return isThere ? [dispatching(work), appliedCondition(work, [])] : [dispatching(work)];
  }

  async #deliver(task: Task, context: ReconcileContext): Promise<ReconcileResult> {
    const { work } = task;
    const manifests = manifestsOf(work);
    const quick: Delivery = this.#deliveryOf(task, context);
    if (manifests.every((manifest) => this.#writer.isThere(manifest, quick))) {
      return this.#reports.writeDelivered(quick, context);
    }
    return this.#withMember(task, context, async (delivery) => {
      const failures: DeliveryFailure[] = [];
      for (const manifest of manifests) {
        try {
          const isNew = await this.#writer.write(manifest, delivery);
          if (isNew) this.#reports.reportApplied(manifest, delivery, context);
        } catch (error) {
          // A conflict with a writer in the member is retried, without an Event.
          if (isConflict(error)) throw error;
          failures.push(this.#reports.reportFailed(manifest, delivery, error, context));
        }
      }
      this.#keepWatching(task, manifests);
      return failures.length === 0
        ? this.#reports.writeDelivered(delivery, context)
        : this.#reports.writeFailures(delivery, failures, context);
    });
  }

  async #end(
    work: Work,
    cluster: MemberCluster,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    if (!hasFinalizer(work, WORK_FINALIZER)) return undefined;
    // Objects stay in a cluster that is removed by force.
    if (isLeftBehind(cluster)) return this.#letGo(work, context);
    if (!isReady(cluster)) {
      // Objects that cannot be deleted must not hold a terminating cluster.
      return isGoing(cluster) ? this.#letGo(work, context) : undefined;
    }
    const view = this.#options.members.viewOf(cluster);
    if (view === undefined) return { requeueAfterMs: NO_WAY_RETRY_MS };
    return this.#withMember({ work, cluster, view }, context, async (delivery) => {
      for (const manifest of manifestsOf(work)) {
        // Namespaces stay in a terminating cluster: they may contain objects of others.
        if (isGoing(cluster) && isNamespace(manifest)) continue;
        await removeManifest(manifest, delivery);
      }
      return this.#letGo(work, context);
    });
  }

  /** Runs a task with a member once its gate admits it. */
  async #withMember(
    task: Task,
    context: ReconcileContext,
    act: (delivery: Delivery) => Promise<ReconcileResult>,
  ): Promise<ReconcileResult> {
    this.#gate ??= new MemberGate(context.clock, this.#options.limits);
    const key = objectKey(task.work.metadata);
    const tenant = tenantOfWork(task.work.metadata, context.cache);
    const entry = this.#gate.enter(task.cluster.metadata.name, key, tenant);
    if (entry.kind === 'wait') return { requeueAfterMs: entry.waitMs };
    using _pass = entry.pass;
    using deadline = deadlineAfter(context.clock, MEMBER_TIMEOUT_MS, context.signal);
    try {
      return await act({ ...this.#deliveryOf(task, context), signal: deadline.signal });
    } catch (error) {
      const pauseMs = entry.failed(error instanceof PropagationError ? error.cause : error);
      if (pauseMs === undefined) throw error;
      // The condition of the cluster reports this error, not the Work.
      const { name: member } = task.cluster.metadata;
      context.logger.info('the member does not answer; will try again', { member, pauseMs });
      return { requeueAfterMs: pauseMs };
    }
  }

  #deliveryOf({ work, cluster, view }: Task, { cache, signal }: ReconcileContext): Delivery {
    const works = (ref: ObjectRef) => cache(Work).get(ref);
    return { work, cluster: cluster.metadata.name, view, works, signal };
  }

  /** Stops watching kinds that the Work no longer has. */
  #keepWatching({ work, view }: Task, manifests: readonly Manifest[]): void {
    const kinds = manifests.flatMap(({ apiVersion, kind }) => {
      const memberKind = view.knownKind(apiVersion, kind);
      return memberKind === undefined ? [] : [memberKind];
    });
    view.keepOnly(objectKey(work.metadata), kinds);
  }

  async #letGo(work: Work, { client, signal }: ReconcileContext): Promise<undefined> {
    const nextFinalizers = removeFinalizer(work.metadata.finalizers, WORK_FINALIZER);
    await setFinalizers(client, Work, work, nextFinalizers, { signal });
    return undefined;
  }

  #forget(cluster: string, ref: ObjectRef): void {
    this.#writer.forget(ref);
    this.#gate?.forget(cluster, objectKey(ref));
    this.#reports.forget(ref);
    this.#options.members.release(cluster, objectKey(ref));
  }
}

const isNamespace = ({ apiVersion, kind }: Manifest): boolean =>
  apiVersion === 'v1' && kind === 'Namespace';

/** Applies the manifests of Works to their member clusters, corrects drift, and deletes them with the Work. */
export const executionController = (options: ExecutionOptions): ControllerDefinition => {
  const execution = new Execution(options);
  return defineController({
    name: 'execution',
    component: 'execution-controller',
    for: Work,
    tenantOf: tenantOfWork,
    concurrency: options.concurrency ?? 32,
    when: isWorkChange,
    watches: [
      execution.ending,
      clusterSource(options.clusters),
      memberSource(
        options.members,
        (now, before) => now === undefined || before === undefined || !sameContent(now, before),
      ),
    ],
    reconcile: (ref, context) => execution.reconcile(ref, context),
  });
};
