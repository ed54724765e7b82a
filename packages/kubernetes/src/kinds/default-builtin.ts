import { POD_DEFAULTS } from './defaults/pod-defaults.ts';
import { POLICY_DEFAULTS } from './defaults/policy-defaults.ts';
import { RESOURCE_DEFAULTS } from './defaults/resource-defaults.ts';
import { SERVICE_DEFAULTS } from './defaults/service-defaults.ts';
import { STORAGE_DEFAULTS } from './defaults/storage-defaults.ts';
import { WORKLOAD_DEFAULTS } from './defaults/workload-defaults.ts';
import { type Default, typeDefaults } from './type-defaults.ts';

const DEFAULTS = new Map([
  ...POD_DEFAULTS,
  ...RESOURCE_DEFAULTS,
  ...WORKLOAD_DEFAULTS,
  ...SERVICE_DEFAULTS,
  ...STORAGE_DEFAULTS,
  ...POLICY_DEFAULTS,
]);

/** Defaults of kube-apiserver for a built-in type, beyond those in the table of types. */
export const defaultBuiltin = (typeName: string): Default => typeDefaults(typeName, DEFAULTS);
