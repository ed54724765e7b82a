import type { ManifestStatus, Work } from '@perigee/api/kinds/placement/work';
import { findCondition } from '@perigee/api/values/conditions';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { Settling } from '@perigee/kube/controller/settling';
import type { Source } from '@perigee/kube/controller/source';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { ObjectReference } from '@perigee/kubernetes/core/event';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { manifestStatus } from '@perigee/scheduling/placement/work/manifest-status';
import { wordsOf } from '@perigee/scheduling/placement/work/words';
import { TEMPLATE_UID } from '@perigee/scheduling/placement/work/work-names';
import { present } from '@perigee/schema/present';
import { PropagationError } from '../../errors.ts';
import { memberMessageOf } from '../../members/member-message.ts';
import { AppliedEvents } from './applied-events.ts';
import { type Delivery, type Manifest, manifestsOf, memberRefOf } from './manifest-writer.ts';
import { appliedCondition, dispatching, writeConditions } from './work-conditions.ts';

/** A manifest that is not in the member, with the reason for users. */
export interface DeliveryFailure {
  readonly error: unknown;
  readonly why: string;
}

/** Events are about the template, which is where the user looks. */
export const subjectOf = (manifest: Manifest): ObjectReference => ({
  apiVersion: manifest.apiVersion,
  kind: manifest.kind,
  ...present({ namespace: manifest.metadata.namespace }),
  name: manifest.metadata.name,
  uid: wordsOf(manifest, 'annotations')[TEMPLATE_UID] ?? '',
});

/** True if the delivery of the Work has not been reported. */
const isUnreported = ({ status }: Work): boolean =>
  findCondition(status?.conditions, 'Applied') === undefined;

/** True if the member is going to report the health of the manifests. */
const willReport = (work: Work, interpreter: Interpreter): boolean =>
  manifestsOf(work).some(
    ({ apiVersion, kind }) => interpreter.of(apiVersion, kind).health !== undefined,
  );

/**
 * The member's state of the manifests right after delivery, reported in the same write; later reports come from
 * `work-status`. Empty while an object is missing, and for Jobs, whose report takes requests.
 */
const firstReport = (
  { work, view }: Delivery,
  interpreter: Interpreter,
): readonly ManifestStatus[] | undefined => {
  const statuses: ManifestStatus[] = [];
  for (const [ordinal, manifest] of manifestsOf(work).entries()) {
    const { apiVersion, kind: name } = manifest;
    const kind = view.knownKind(apiVersion, name);
    const observed = kind && view.watched(apiVersion, name)?.get(memberRefOf(kind, manifest));
    if (kind === undefined || observed === undefined || name === 'Job') return undefined;
    statuses.push(
      manifestStatus({ ordinal, kind, live: observed }, interpreter.of(apiVersion, name)),
    );
  }
  return statuses;
};

/** Reports how Works are delivered: by their conditions, and by Events about the templates. */
export class DeliveryReports {
  readonly #interpreter: Interpreter;
  readonly #appliedEvents = new AppliedEvents();
  #settling: Settling | undefined;

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  /** A source that ends with the controller, and then flushes the gathered Events. */
  readonly ending: Source = { kinds: [], start: () => this.#appliedEvents };

  forget(ref: ObjectRef): void {
    this.#settling?.forget(objectKey(ref));
  }

  reportApplied(manifest: Manifest, { cluster }: Delivery, context: ReconcileContext): void {
    this.#appliedEvents.note(subjectOf(manifest), cluster, context);
  }

  reportFailed(
    manifest: Manifest,
    { cluster }: Delivery,
    error: unknown,
    { events }: ReconcileContext,
  ): DeliveryFailure {
    const why = memberMessageOf(manifest, error);
    const what = `resource(${objectKey(manifest.metadata)}) in member cluster(${cluster})`;
    const message = `Failed to create or update ${what}: ${why}`;
    events.warning(subjectOf(manifest), 'SyncFailed', message);
    return { error, why };
  }

  /** Writes the conditions; those of a new Work together with the first report of the member. */
  async writeDelivered(delivery: Delivery, context: ReconcileContext): Promise<ReconcileResult> {
    const { work } = delivery;
    const isFirst = isUnreported(work);
    this.#settling ??= new Settling(context.clock);
    const isSettled = !isFirst || !willReport(work, this.#interpreter);
    const restMs = isSettled ? 0 : this.#settling.restOf(objectKey(work.metadata), false);
    if (restMs > 0) return { requeueAfterMs: restMs };
    const statuses = isFirst ? firstReport(delivery, this.#interpreter) : undefined;
    await writeConditions(work, [dispatching(work), appliedCondition(work, [])], context, statuses);
    return undefined;
  }

  /** Writes the condition, and throws the first error so that the Work is tried again. */
  async writeFailures(
    { work, cluster }: Delivery,
    failures: readonly DeliveryFailure[],
    context: ReconcileContext,
  ): Promise<never> {
    const { events } = context;
    const reasons = failures.map(({ why }) => why);
    await writeConditions(work, [dispatching(work), appliedCondition(work, reasons)], context);
    const what = `work(${objectKey(work.metadata)}) to cluster(${cluster})`;
    const message = `Failed to sync ${what}, err: ${reasons.join(', ')}`;
    events.warning(work, 'SyncFailed', message);
    throw new PropagationError(message, { cause: failures[0]?.error });
  }
}
