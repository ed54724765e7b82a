import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Logger } from '@perigee/kube/observe/logger';
import { present } from '@perigee/schema/present';
import { aggregationController } from '../rbac/aggregation-controller.ts';
import type { Registry } from '../registry/registry.ts';
import { eventExpiry } from './event-expiry/event-expiry.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import { namespaceController } from './namespace-controller.ts';
import { rootCaController } from './root-ca-controller.ts';
import { serviceAccountController } from './service-account-controller.ts';

export interface ClusterControllerOptions {
  readonly registry: Registry;
  readonly logger: Logger;
  /** The certificates by which clients trust the server, in PEM; not published by default. */
  readonly authority?: string;
  /** Time to live of an event after its last write; an hour by default. */
  readonly eventTtlMs?: number;
}

/** The controllers that every cluster is expected to have, workloads or not. */
export const clusterControllers = ({
  registry,
  logger,
  authority,
  eventTtlMs,
}: ClusterControllerOptions): readonly ControllerDefinition[] => [
  namespaceController(),
  garbageCollector(registry, logger),
  serviceAccountController(),
  ...(authority === undefined ? [] : [rootCaController(authority)]),
  eventExpiry({ registry, logger, ...present({ ttlMs: eventTtlMs }) }),
  aggregationController,
];
