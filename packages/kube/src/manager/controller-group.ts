import type { Client } from '../client/client.ts';
import type { ControllerDefinition } from '../controller/define-controller.ts';
import {
  type ControllerEnvironment,
  type ControllerSignals,
  runController,
} from '../controller/run-controller.ts';
import type { Troubles } from '../controller/troubles.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import { fencedClient } from '../leader-election/fenced-client.ts';
import type { LeaderElector } from '../leader-election/leader-elector.ts';
import type { HealthCheck } from './health-checks.ts';

export interface ControllerGroupOptions extends Omit<ControllerEnvironment, 'events' | 'troubles'> {
  readonly controllers: readonly ControllerDefinition[];
  readonly troubles: Troubles;
  /** Identity in events. */
  readonly identity: string;
  /** Absent when no other process runs these controllers. */
  readonly elector: LeaderElector | undefined;
}

type ControllerState = 'waits for its caches' | 'stands by' | 'runs' | { readonly failed: string };

/** Runs controllers side by side, those that need a leader only while this process leads. */
export class ControllerGroup implements AsyncDisposable {
  readonly #options: ControllerGroupOptions;
  readonly #states = new Map<string, ControllerState>();
  readonly #recorders = new Map<string, EventRecorder>();
  readonly #gaveUp = Promise.withResolvers<void>();

  constructor(options: ControllerGroupOptions) {
    this.#options = options;
    for (const { name } of options.controllers) this.#states.set(name, 'waits for its caches');
  }

  /** True if each controller does what it should: run, or stand by while another process leads. */
  get checks(): readonly HealthCheck[] {
    return this.#options.controllers.map(({ name }) => ({
      name: `controller-${name}`,
      problem: () => {
        const state = this.#states.get(name);
        if (typeof state === 'object') return state.failed;
        return state === 'waits for its caches' ? state : undefined;
      },
    }));
  }

  /** The controllers that run now. */
  get running(): readonly string[] {
    return [...this.#states].filter(([, state]) => state === 'runs').map(([name]) => name);
  }

  /** Runs them all until they are stopped. */
  async run(signals: ControllerSignals): Promise<void> {
    const { controllers, elector, client } = this.#options;
    const leaderBound = controllers.filter(
      ({ needsLeader }) => needsLeader && elector !== undefined,
    );
    const free = controllers.filter((controller) => !leaderBound.includes(controller));
    for (const { name } of leaderBound) this.#states.set(name, 'stands by');
    await Promise.all([
      this.#runAll(free, client, signals),
      this.#runAsLeader(leaderBound, signals),
    ]);
  }

  /** Waits no longer for reconciles that do not end. */
  giveUp(): void {
    this.#gaveUp.resolve();
  }

  /** Writes the events that still wait. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      Array.from(this.#recorders.values(), (recorder) => recorder[Symbol.asyncDispose]()),
    );
  }

  /** Term after term: between two of them the controllers end, so no object is reconciled twice at once. */
  async #runAsLeader(
    controllers: readonly ControllerDefinition[],
    { stop, abort }: ControllerSignals,
  ): Promise<void> {
    const { elector, client } = this.#options;
    if (elector === undefined || controllers.length === 0) return;
    while (!stop.aborted) {
      const leadership = await elector.acquire(stop).catch((error: unknown) => {
        if (!stop.aborted) for (const { name } of controllers) this.#failed(name, error);
      });
      if (leadership === undefined) return;
      await this.#runAll(controllers, fencedClient(client, leadership), {
        stop: AbortSignal.any([stop, leadership.signal]),
        abort: AbortSignal.any([abort, leadership.signal]),
      });
      await leadership.release();
    }
  }

  async #runAll(
    controllers: readonly ControllerDefinition[],
    client: Client,
    signals: ControllerSignals,
  ): Promise<void> {
    const runs = controllers.map((controller) => this.#runOne(controller, client, signals));
    await Promise.race([Promise.all(runs), this.#gaveUp.promise]);
  }

  async #runOne(
    controller: ControllerDefinition,
    client: Client,
    signals: ControllerSignals,
  ): Promise<void> {
    const { name, component = name } = controller;
    this.#states.set(name, 'runs');
    try {
      const events = this.#recorderOf(component);
      await runController(controller, { ...this.#options, client, events }, signals);
      this.#states.set(name, 'stands by');
    } catch (error) {
      this.#failed(name, error);
    }
  }

  #failed(controller: string, error: unknown): void {
    const { troubles, logger } = this.#options;
    this.#states.set(controller, { failed: `${error}` });
    troubles.note({ controller, object: '', problem: 'failing' }, error);
    logger.error('the controller failed and does not run', { controller, error });
  }

  #recorderOf(component: string): EventRecorder {
    const { client, clock, logger, identity: instance } = this.#options;
    const existing = this.#recorders.get(component);
    if (existing !== undefined) return existing;
    const recorder = new EventRecorder({ client, clock, logger, component, instance });
    this.#recorders.set(component, recorder);
    return recorder;
  }
}
