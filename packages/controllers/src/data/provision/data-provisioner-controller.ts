import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { findCondition } from '@perigee/api/values/conditions';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import type { Clock } from '@perigee/kube/clock/clock';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { objectKey } from '@perigee/kube/informer/object-key';
import { wantedKey } from '@perigee/scheduling/data/data-keys';
import { claimedData } from '@perigee/scheduling/data/describe-data';
import { matchSource } from '@perigee/scheduling/data/match-source';
import { questionOf, questionText } from '@perigee/scheduling/data/provision/data-question';
import { madeSource } from '@perigee/scheduling/data/provision/made-source';
import type { FoundData, ProvisionerAnswer } from '@perigee/scheduling/data/provision/read-answer';
import type { Entry } from '../../members/member-gate.ts';
import { dataIndexes, sourcesOffering } from '../data-indexes.ts';
import { AskedQuestions, type Question } from './asked-questions.ts';
import type { Provisioner } from './provisioner.ts';
import { provisionerChanges } from './provisioner-changes.ts';
import type { FoundProvisioner, Provisioners } from './provisioners.ts';
import { type ProvisioningReport, reportToClaim } from './report-provisioning.ts';
import { writeMadeSource } from './write-made-source.ts';

const WAITING = 'data-waiting-of-system';

/** Exceeds the concurrency limits of all provisioners together, so that no slow one can take all workers. */
const CONCURRENCY = 256;

const isBound = ({ status }: DataSourceClaim): boolean => status?.boundDataSource !== undefined;

const waitingOf = (claim: DataSourceClaim): readonly string[] =>
  isBound(claim) ? [] : [claim.spec.system];

const hasSource = (claim: DataSourceClaim, cache: Caches): boolean =>
  sourcesOffering(cache, wantedKey(claim)).some((source) => matchSource(claim, source).fits);

/**
 * The configuration error that keeps a provisioner from being asked; undefined while its Secrets are being read, or
 * if it was never configured.
 */
const troubleOf = (
  { spec, status }: DataSourceClaim,
  lookup: FoundProvisioner | undefined,
): ProvisioningReport | undefined => {
  const wasAsked = findCondition(status?.conditions, 'Provisioned') !== undefined;
  const goneMessage = wasAsked ? `there is no provisioner of ${spec.system} any more` : undefined;
  const message = lookup === undefined ? goneMessage : lookup.problem;
  return message === undefined ? undefined : { reason: 'ProvisionerMisconfigured', message };
};

/** Asks provisioners for data that claims want and no source offers, and creates DataSources from the answers. */
class DataProvisioning {
  readonly #provisioners: Provisioners;
  readonly #askedQuestions: AskedQuestions<ProvisioningReport | undefined>;

  constructor(provisioners: Provisioners, clock: Clock) {
    this.#provisioners = provisioners;
    this.#askedQuestions = new AskedQuestions(clock);
  }

  async reconcile(ref: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const key = objectKey(ref);
    const claim = context.cache(DataSourceClaim).get(ref);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) {
      this.#askedQuestions.forget(key);
      return undefined;
    }
    if (isBound(claim) || hasSource(claim, context.cache)) {
      this.#askedQuestions.forget(key);
      await reportToClaim(claim, undefined, context);
      return undefined;
    }
    await this.#provisioners.synced;
    const lookup = this.#provisioners.of(claim.spec.system);
    if (lookup?.provisioner !== undefined) return this.#ask(claim, lookup.provisioner, context);
    const trouble = troubleOf(claim, lookup);
    if (trouble !== undefined) await reportToClaim(claim, trouble, context);
    return undefined;
  }

  async #ask(
    claim: DataSourceClaim,
    provisioner: Provisioner,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const key = objectKey(claim.metadata);
    const question = { key, text: questionText(questionOf(claim)), provisioner };
    const wait = this.#askedQuestions.waiting(question);
    if (wait !== undefined) {
      await reportToClaim(claim, wait.result, context);
      return { requeueAfterMs: wait.waitMs };
    }
    const entry = provisioner.enter(key, claim.metadata.namespace);
    if (entry.kind === 'wait') {
      await reportToClaim(claim, 'turn', context);
      return { requeueAfterMs: entry.waitMs };
    }
    const { result, requeueAfterMs } = await this.#put(claim, question, entry, context);
    await reportToClaim(claim, result, context);
    return { requeueAfterMs };
  }

  async #put(
    claim: DataSourceClaim,
    question: Question,
    entry: Extract<Entry, { kind: 'pass' }>,
    context: ReconcileContext,
  ): Promise<{ readonly result: ProvisioningReport | undefined; readonly requeueAfterMs: number }> {
    using _pass = entry.pass;
    const { provisioner } = question;
    const { namespace = '', name } = claim.metadata;
    const { signal } = context;
    let answer: ProvisionerAnswer;
    try {
      answer = await provisioner.ask(questionOf(claim), { namespace, name }, signal);
    } catch (error) {
      signal.throwIfAborted();
      const pauseMs = entry.failed(error);
      if (pauseMs === undefined || !(error instanceof Error)) throw error;
      const result = { reason: 'ProvisionerUnavailable', message: error.message } as const;
      return { result, requeueAfterMs: this.#askedQuestions.failed(question, result, pauseMs) };
    }
    const result = await this.#use(claim, answer, context);
    const requeueAfterMs =
      answer.kind === 'unusable'
        ? this.#askedQuestions.failed(question, result)
        : this.#askedQuestions.answered(question, result, provisioner.config.recheckMs);
    return { result, requeueAfterMs };
  }

  async #use(
    claim: DataSourceClaim,
    answer: ProvisionerAnswer,
    context: ReconcileContext,
  ): Promise<ProvisioningReport | undefined> {
    const because = 'message' in answer && answer.message !== '' ? `: ${answer.message}` : '';
    switch (answer.kind) {
      case 'missing':
        return {
          reason: 'DataNotFound',
          message: `there is no ${claimedData(claim)} yet${because}`,
        };
      case 'nowhere':
        return {
          reason: 'DataNowhere',
          message: `${claimedData(claim)} exists, and is in no cluster yet${because}`,
        };
      case 'unusable':
        return { reason: 'AnswerUnusable', message: `its answer cannot be used${because}` };
      case 'found':
        return this.#register(claim, answer.data, context);
    }
  }

  async #register(
    claim: DataSourceClaim,
    data: FoundData,
    context: ReconcileContext,
  ): Promise<ProvisioningReport | undefined> {
    const result = madeSource(questionOf(claim), data);
    if ('problem' in result) {
      return { reason: 'AnswerUnusable', message: `its answer cannot be used: ${result.problem}` };
    }
    const fit = matchSource(claim, result.source);
    if (!fit.fits) {
      const message = `the provisioner knows the data, but it does not fit: ${fit.why}`;
      return { reason: 'DataDoesNotFit', message };
    }
    const { name } = result.source.metadata;
    const isWritten = await writeMadeSource(result.source, context);
    if (!isWritten) {
      const message = `the DataSource ${name} is there already, and was not made by a provisioner`;
      return { reason: 'NameTaken', message };
    }
    context.events.normal(claim, 'DataProvisioned', `registered the DataSource ${name}`);
    return undefined;
  }
}

export interface DataProvisionerOptions {
  readonly provisioners: Provisioners;
  readonly clock: Clock;
}

export const dataProvisionerController = ({
  provisioners,
  clock,
}: DataProvisionerOptions): ControllerDefinition => {
  const provisioning = new DataProvisioning(provisioners, clock);
  return defineController({
    name: 'data-provisioner',
    for: DataSourceClaim,
    concurrency: CONCURRENCY,
    watches: [
      provisionerChanges(provisioners, (system, cache) =>
        cache(DataSourceClaim).byIndex(WAITING, system).map(refOf),
      ),
    ],
    reads: [DataSource],
    indexes: [...dataIndexes, index(DataSourceClaim, WAITING, waitingOf)],
    reconcile: (ref, context) => provisioning.reconcile(ref, context),
  });
};
