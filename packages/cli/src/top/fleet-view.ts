import type { FlowReport } from '@perigee/scheduling/flows/flow-report';
import type { DataOverview } from '../data/data-overview.ts';
import type { QueueLine } from '../queues/queue-overview.ts';
import type { FleetStatus, Part } from '../status/fleet-status.ts';

/** A change of the location of work or data. */
export interface Move {
  readonly at: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly change: 'placed' | 'evicted' | 'preempted' | 'data step';
  readonly message: string;
}

/** The content of the screen. */
export interface FleetView {
  readonly clusters: FleetStatus['clusters'];
  readonly work: FleetStatus['work'];
  readonly queues: Part<readonly QueueLine[]>;
  readonly data: Part<DataOverview>;
  readonly flows: Part<readonly FlowReport[]>;
  /** The newest first. */
  readonly moves: Part<readonly Move[]>;
}
