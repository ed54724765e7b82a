import { DataSource } from '@perigee/api/kinds/data/data-source';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { Queue } from '@perigee/api/kinds/queues/queue';
import {
  type Connection,
  type ConnectOptions,
  connectionBy,
  currentControlPlane,
} from './connection.ts';
import { type Flow, type FlowOptions, flow } from './flows/flow.ts';
import { Flows } from './flows/flows.ts';
import { Claims } from './resources/claims.ts';
import { Clusters } from './resources/clusters.ts';
import { Resources } from './resources/resources.ts';
import { Triggers } from './resources/triggers.ts';

/** A control plane for programs. Connects on first use. */
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

  /** Starts the description of a flow for this control plane. */
  flow<const D extends string = string>(name: string, options?: FlowOptions<D>): Flow<never, D> {
    return flow(name, options, this);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Connects to the control plane of a kubeconfig: any API server that serves the kinds. */
export const connect = (options: ConnectOptions = {}): Perigee =>
  new Perigee(connectionBy(options));

/** The control plane of kubectl's current context. */
export const perigee: Perigee = new Perigee(currentControlPlane.connection);
