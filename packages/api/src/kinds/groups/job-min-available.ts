/** What a task says about how many of its pods are needed. */
interface TaskSize {
  readonly replicas: number;
  readonly minAvailable?: number | undefined;
  readonly partitionPolicy?:
    | { readonly minPartitions: number; readonly partitionSize: number }
    | undefined;
}

/** How many pods of a task must be able to start for any to start. */
export const minAvailableOfTask = ({
  replicas,
  minAvailable,
  partitionPolicy,
}: TaskSize): number => {
  if (minAvailable !== undefined) return minAvailable;
  const { minPartitions = 0, partitionSize = 0 } = partitionPolicy ?? {};
  return minPartitions > 0 ? minPartitions * partitionSize : replicas;
};

/** How many pods of a job must be able to start for any to start; admission writes it into the spec. */
export const minAvailableOfJob = (spec: {
  readonly minAvailable?: number | undefined;
  readonly tasks: readonly TaskSize[];
}): number =>
  spec.minAvailable || spec.tasks.reduce((sum, task) => sum + minAvailableOfTask(task), 0);
