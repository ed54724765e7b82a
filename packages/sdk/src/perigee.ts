import { DataSource } from '@perigee/api/kinds/data/data-source';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { type Connection, type ConnectOptions, connectionBy } from './connection.ts';
import { type Flow, type FlowOptions, flow } from './flows/flow.ts';
import { Flows } from './flows/flows.ts';
import { Claims } from './resources/claims.ts';
import { Clusters } from './resources/clusters.ts';
import { Resources } from './resources/resources.ts';
import { Triggers } from './resources/triggers.ts';

/** A control plane, as programs see it. Nothing is asked before it is needed. */
export class Perigee implements AsyncDisposable {
  readonly connection: Connection;
  readonly flows: Flows;
  readonly datasets: Resources<typeof Dataset>;
  readonly sources: Resources<typeof DataSource>;
  readonly claims: Claims;
  readonly queues: Resources<typeof Queue>;
  readonly triggers: Triggers;
  readonly clusters: Clusters;

  constructor(connection: Connection) {
    this.connection = connection;
    this.flows = new Flows(connection);
    this.datasets = new Resources(connection, Dataset);
    this.sources = new Resources(connection, DataSource);
    this.claims = new Claims(connection);
    this.queues = new Resources(connection, Queue);
    this.triggers = new Triggers(connection);
    this.clusters = new Clusters(connection);
  }

  /** Begins the description of a flow that goes to this control plane. */
  flow<const D extends string = string>(name: string, options?: FlowOptions<D>): Flow<never, D> {
    return flow(name, options, this);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A control plane by its kubeconfig: any API server that has the kinds. */
export const connect = (options: ConnectOptions = {}): Perigee =>
  new Perigee(connectionBy(options));

/** The control plane that kubectl would speak to. */
export const perigee: Perigee = connect();
