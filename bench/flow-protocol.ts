export interface FlowOrder {
  readonly clusters: number;
  readonly datasets: number;
  /** Flows that run at the same time, and how many steps each has. */
  readonly flows: number;
  readonly steps: number;
  /** The steps of the one long flow, which runs alone. */
  readonly longFlow: number;
}

export interface FlowResult {
  /** From the completion of a step to the start of the next, in the long flow. */
  readonly hopMs: { readonly p50: number; readonly p99: number };
  /** Steps of the long flow in a second, from its first to its last. */
  readonly longFlowPerSecond: number;
  /** Steps in a second, from the start of the controllers until the last step of the last flow is complete. */
  readonly stepsPerSecond: number;
  /** The processor time of server, controllers and played members for each of these steps. */
  readonly cpuMsPerStep: number;
  /** Durable writes for each of these steps: statuses, Jobs, bindings, events. */
  readonly writesPerStep: number;
  /** Live bytes of the process afterwards for each step: server, caches and all. */
  readonly bytesPerStep: number;
}
