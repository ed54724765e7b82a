export interface RoomOrder {
  readonly nodes: number;
  readonly pods: number;
  readonly clusters: number;
}

export interface RoomResult {
  /** The processor time of one count of all nodes, ready to be written; rounds. */
  readonly publishMs: readonly number[];
  /** Length of the published summary. */
  readonly bytes: number;
  /** Percentage of the free cpu that the summary shows, from 0 to 100. */
  readonly toldPercent: number;
  /** Pods that start or end in a second, as far as counting them goes. */
  readonly podsPerSecond: number;
  /** Decisions in a second: by nodes that stay as they are, with one cluster that changed before each, and by grades. */
  readonly byNodes: readonly number[];
  readonly byChangedNodes: readonly number[];
  readonly byGrades: readonly number[];
}
