/** The public API of `@perigee/sdk`. */

export { ApiError, ConfigError, ConnectionError } from '@perigee/kube/errors';
export { RegistrationError } from '@perigee/registration/errors';
export type { ConnectOptions, ControlPlane } from './connection.ts';
export { FailedError, FlowProblemsError, PackError, type Problem, UsageError } from './errors.ts';
export { type DatasetSpec, Flow, type FlowOptions, flow } from './flows/flow.ts';
export { FlowPlan, type PlannedStep } from './flows/flow-plan.ts';
export { type FlowProgress, FlowRun, type StepProgress } from './flows/flow-run.ts';
export type {
  BackupStep,
  ExistingOperation,
  FunctionOptions,
  LoadStep,
  MigrateStep,
  ProcessStep,
} from './flows/step.ts';
export type { LogLine, LogOptions } from './flows/step-logs.ts';
export type { RunOptions } from './flows/submit-flow.ts';
export type { StepContext, StepFunction } from './functions/step-function.ts';
export { connect, Perigee, perigee } from './perigee.ts';
