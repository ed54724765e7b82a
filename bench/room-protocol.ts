export interface RoomOrder {
  readonly nodes: number;
  readonly pods: number;
  readonly clusters: number;
}

export interface RoomResult {
  /** The processor time of one count of all nodes, ready to be written; rounds. */
  readonly publishMs: readonly number[];
  /** How long what is written is. */
  readonly bytes: number;
  /** How much of the free cpu is told, from 0 to 100. */
  readonly toldPercent: number;
  /** Pods that start or end in a second, as far as counting them goes. */
  readonly podsPerSecond: number;
  /** Decisions in a second: by nodes that stay as they are, with one cluster that changed before each, and by grades. */
  readonly byNodes: readonly number[];
  readonly byChangedNodes: readonly number[];
  readonly byGrades: readonly number[];
}
