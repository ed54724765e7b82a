import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { matchSource } from '@perigee/scheduling/data/match-source';
import { type DataQuestion, questionText } from '@perigee/scheduling/data/provision/data-question';
import { askedFor, madeSource } from '@perigee/scheduling/data/provision/made-source';
import type { ProvisionerAnswer } from '@perigee/scheduling/data/provision/read-answer';
import { parseTime } from '@perigee/schema/values/time';
import { claimsBoundTo, claimsWanting, dataIndexes } from '../data-indexes.ts';
import { AskedQuestions } from './asked-questions.ts';
import type { DataProvisionerOptions } from './data-provisioner-controller.ts';
import type { Provisioner } from './provisioner.ts';
import { provisionerChanges } from './provisioner-changes.ts';
import type { Provisioners } from './provisioners.ts';
import { reportToSource } from './report-provisioning.ts';
import { refreshSource } from './write-made-source.ts';

const MADE = 'data-made-of-system';
const CONCURRENCY = 256;
/** Grace period for unclaimed sources: a new one may not have been bound yet. */
const GRACE_MS = 60_000;

const FOUND = {
  status: 'True',
  reason: 'Provisioned',
  message: 'a provisioner says where it is',
} as const;

const madeOf = (source: DataSource): readonly string[] => {
  const question = askedFor(source);
  return question === undefined ? [] : [question.system];
};

const remove = async (
  source: DataSource,
  why: string,
  { client, events, signal }: ReconcileContext,
): Promise<undefined> => {
  const { uid, resourceVersion } = source.metadata;
  events.normal(source, 'ProvisionedDataGone', why);
  await client
    .delete(DataSource, refOf(source), { preconditions: { uid, resourceVersion }, signal })
    .catch(ignoreNotFound);
  return undefined;
};

/** Reports a failed refresh. The last known location stays in force. */
const reportRefresh = (
  source: DataSource,
  problem: string | undefined,
  context: ReconcileContext,
): Promise<void> => {
  if (problem === undefined) return reportToSource(source, FOUND, context);
  const message = `where the data is could not be looked up again: ${problem}`;
  return reportToSource(source, { status: 'False', reason: 'RefreshFailed', message }, context);
};

/** Refreshes the data that provisioners found, periodically. Sources that users created are left alone. */
class DataRefresh {
  readonly #provisioners: Provisioners;
  readonly #askedQuestions: AskedQuestions<string | undefined>;
  readonly #clock: Clock;

  constructor({ provisioners, clock }: DataProvisionerOptions) {
    this.#provisioners = provisioners;
    this.#clock = clock;
    this.#askedQuestions = new AskedQuestions(clock);
  }

  async reconcile(ref: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const source = context.cache(DataSource).get(ref);
    const question = source && askedFor(source);
    if (
      source === undefined ||
      question === undefined ||
      source.metadata.deletionTimestamp !== undefined
    ) {
      this.#askedQuestions.forget(objectKey(ref));
      return undefined;
    }
    const graceMs = this.#graceMs(source, context);
    if (graceMs !== undefined && graceMs <= 0) {
      return remove(source, 'no claim asks for the data any more', context);
    }
    await this.#provisioners.synced;
    const lookup = this.#provisioners.of(question.system);
    if (lookup?.provisioner !== undefined) {
      return this.#ask(source, question, lookup.provisioner, context);
    }
    const message =
      lookup === undefined
        ? `there is no provisioner of ${question.system} any more`
        : lookup.problem;
    if (message !== undefined) await reportRefresh(source, message, context);
    return graceMs === undefined ? undefined : { requeueAfterMs: graceMs };
  }

  /** Remaining lifetime of a source without claims; undefined if a claim is bound to it or matches it. */
  #graceMs(source: DataSource, { cache }: ReconcileContext): number | undefined {
    const isWanted =
      claimsBoundTo(cache, source.metadata.name).length > 0 ||
      claimsWanting(cache, source).some((claim) => matchSource(claim, source).fits);
    if (isWanted) return undefined;
    return parseTime(source.metadata.creationTimestamp) + GRACE_MS - this.#clock.now();
  }

  async #ask(
    source: DataSource,
    question: DataQuestion,
    provisioner: Provisioner,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const key = source.metadata.name;
    const request = { key, text: questionText(question), provisioner };
    const { refreshMs } = provisioner.config;
    if (!this.#askedQuestions.has(key)) {
      // A new source, or a new process: the first refreshes are spread out, so that they do not come all at once.
      const firstMs = refreshMs * (0.5 + this.#clock.random() / 2);
      this.#askedQuestions.answered(request, undefined, firstMs);
    }
    const wait = this.#askedQuestions.waiting(request);
    if (wait !== undefined) {
      await reportRefresh(source, wait.result, context);
      return { requeueAfterMs: wait.waitMs };
    }
    const entry = provisioner.enter(key);
    if (entry.kind === 'wait') return { requeueAfterMs: entry.waitMs };
    using _pass = entry.pass;
    const { signal } = context;
    try {
      const answer = await provisioner.ask(question, undefined, signal);
      const problem = await this.#use(source, question, answer, context);
      const requeueAfterMs =
        problem === undefined
          ? this.#askedQuestions.answered(request, undefined, refreshMs)
          : this.#askedQuestions.failed(request, problem);
      if (problem !== undefined) await reportRefresh(source, problem, context);
      return { requeueAfterMs };
    } catch (error) {
      signal.throwIfAborted();
      const pauseMs = entry.failed(error);
      if (pauseMs === undefined || !(error instanceof Error)) throw error;
      const requeueAfterMs = this.#askedQuestions.failed(request, error.message, pauseMs);
      await reportRefresh(source, error.message, context);
      return { requeueAfterMs };
    }
  }

  /** Applies the answer. Returns the problem, if there is one. */
  async #use(
    source: DataSource,
    question: DataQuestion,
    answer: ProvisionerAnswer,
    context: ReconcileContext,
  ): Promise<string | undefined> {
    if (answer.kind === 'missing' && answer.isCertain) {
      return remove(source, 'the provisioner says that the data does not exist any more', context);
    }
    if (answer.kind === 'missing' || answer.kind === 'unusable') return answer.message;
    const data = answer.kind === 'found' ? answer.data : { locality: { clusterNames: [] } };
    const result = madeSource(question, { name: source.spec.name, ...data });
    if ('problem' in result) return result.problem;
    if (result.source.spec.name !== source.spec.name) {
      return remove(source, 'the provisioner gives other data now', context);
    }
    if (answer.kind === 'found') await refreshSource(source, result.source, context);
    else await refreshSource(source, { ...source, spec: { ...source.spec, ...data } }, context);
    return undefined;
  }
}

export const dataRefreshController = (options: DataProvisionerOptions): ControllerDefinition => {
  const refresh = new DataRefresh(options);
  return defineController({
    name: 'data-refresh',
    for: DataSource,
    concurrency: CONCURRENCY,
    watches: [
      provisionerChanges(options.provisioners, (system, cache) =>
        cache(DataSource).byIndex(MADE, system).map(refOf),
      ),
    ],
    reads: [DataSourceClaim],
    indexes: [...dataIndexes, index(DataSource, MADE, madeOf)],
    reconcile: (ref, context) => refresh.reconcile(ref, context),
  });
};
