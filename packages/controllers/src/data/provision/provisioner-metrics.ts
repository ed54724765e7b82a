import type { Clock } from '@perigee/kube/clock/clock';
import type { Metrics } from '@perigee/kube/observe/metrics';
import type { ProvisionerAnswer } from '@perigee/scheduling/data/provision/read-answer';

const OUTCOMES = ['found', 'missing', 'nowhere', 'unusable', 'unavailable'] as const;

/** Counts and times the answers of provisioners. The series of a removed provisioner are removed, too. */
export class ProvisionerMetrics {
  readonly #clock: Clock;
  readonly #requests;
  readonly #seconds;
  readonly #up;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#requests = metrics.counter({
      name: 'perigee_provisioner_requests_total',
      help: 'How often provisioners were asked, by what came of it',
      labels: ['system', 'outcome'],
    });
    this.#seconds = metrics.histogram({
      name: 'perigee_provisioner_request_duration_seconds',
      help: 'How long provisioners took to answer, or not to',
      labels: ['system'],
    });
    this.#up = metrics.gauge({
      name: 'perigee_provisioner_up',
      help: 'Whether a provisioner gave its last answer in time, and one that can be used',
      labels: ['system'],
    });
  }

  /** Measures a request, except one that was aborted. */
  async measure(
    system: string,
    signal: AbortSignal,
    ask: () => Promise<ProvisionerAnswer>,
  ): Promise<ProvisionerAnswer> {
    const began = this.#clock.monotonic();
    const observe = (outcome: (typeof OUTCOMES)[number]): void => {
      if (signal.aborted) return;
      this.#requests.with({ system, outcome }).increment();
      this.#seconds.with({ system }).observe((this.#clock.monotonic() - began) / 1000);
      this.#up.with({ system }).set(outcome === 'unavailable' || outcome === 'unusable' ? 0 : 1);
    };
    try {
      const answer = await ask();
      observe(answer.kind);
      return answer;
    } catch (error) {
      observe('unavailable');
      throw error;
    }
  }

  forget(system: string): void {
    for (const outcome of OUTCOMES) this.#requests.remove({ system, outcome });
    this.#seconds.remove({ system });
    this.#up.remove({ system });
  }
}
