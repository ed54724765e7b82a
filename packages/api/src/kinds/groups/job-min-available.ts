/** The fields of a task that decide its `minAvailable`. */
interface TaskSize {
  readonly replicas: number;
  readonly minAvailable?: number | undefined;
  readonly partitionPolicy?:
    | { readonly minPartitions: number; readonly partitionSize: number }
    | undefined;
}

/** Number of pods of a task that must be able to start together. */
export const minAvailableOfTask = ({
  replicas,
  minAvailable,
  partitionPolicy,
}: TaskSize): number => {
  if (minAvailable !== undefined) return minAvailable;
  const { minPartitions = 0, partitionSize = 0 } = partitionPolicy ?? {};
  return minPartitions > 0 ? minPartitions * partitionSize : replicas;
};

/** Number of pods of a job that must be able to start together; admission writes it into the spec. */
export const minAvailableOfJob = (spec: {
  readonly minAvailable?: number | undefined;
  readonly tasks: readonly TaskSize[];
}): number =>
  spec.minAvailable || spec.tasks.reduce((sum, task) => sum + minAvailableOfTask(task), 0);
