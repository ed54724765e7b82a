import type { Connection } from '../connection.ts';
import type { InNamespace } from '../resources/resources.ts';
import { FlowRun } from './flow-run.ts';
import { readFlows } from './read-flow.ts';

/** All flows on the server, however they were submitted. */
export class Flows {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Looks up a flow by its label, or by the name of its first step. */
  async get(name: string, { namespace }: InNamespace = {}): Promise<FlowRun> {
    const where = namespace ?? (await this.#connection.namespace());
    const run = new FlowRun(this.#connection, name, { namespace: where });
    await run.progress();
    return run;
  }

  async list({ namespace }: InNamespace = {}): Promise<readonly FlowRun[]> {
    const where = namespace ?? (await this.#connection.namespace());
    const { flows } = await readFlows(await this.#connection.client(), { namespace: where });
    return flows.map(({ name }) => new FlowRun(this.#connection, name, { namespace: where }));
  }
}
