import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Southbounds } from '../southbound/southbound.ts';
import { clusterAdoptionController } from './cluster-adoption-controller.ts';
import { clusterRegistrationController } from './cluster-registration-controller.ts';
import {
  type InventoryStatusOptions,
  inventoryStatusController,
} from './inventory-status-controller.ts';

export interface InventoryControllersOptions extends InventoryStatusOptions {
  readonly southbounds: Southbounds;
}

/** The controllers that keep the inventory of clusters and their execution targets in step. */
export const inventoryControllers = (
  options: InventoryControllersOptions,
): readonly ControllerDefinition[] => [
  clusterRegistrationController(options),
  clusterAdoptionController(),
  inventoryStatusController(options),
];
