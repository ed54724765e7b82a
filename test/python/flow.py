"""What a data scientist does with the SDK of Fluid: a dataset, a runtime, a flow, a look at it, and the end of it."""

import sys

from fluid import ClientConfig, FluidClient, FluidK8sClient, constants, models
from kubernetes import client as kubernetes

samples, target = sys.argv[1:]
fluid = FluidClient(ClientConfig(runtime_kind=constants.ALLUXIO_RUNTIME_KIND))


def phases(flow):
    return [next(iter(status.values())).phase for status in flow.get_current_status()]


def script(source):
    return models.Processor(
        script=models.ScriptProcessor(
            image="alpine", image_tag="3.10", image_pull_policy="IfNotPresent", command=["sh"], source=source
        )
    )


fluid.create_dataset("numbers", "samples", f"local://{samples}", "/", mode="ReadWrite")
dataset = fluid.get_dataset("numbers")
dataset.bind_runtime(runtime_type="alluxio", replicas=1, cache_medium="MEM", cache_capacity_GiB=1, wait=True)
print("bound:", dataset.report_status("binding_status")["phase"])

load = models.DataLoad(
    api_version=constants.API_VERSION,
    kind=constants.DATA_LOAD_KIND,
    metadata=kubernetes.V1ObjectMeta(namespace="default", name="typed-load"),
    spec=models.DataLoadSpec(
        load_metadata=True,
        dataset=models.TargetDataset(namespace="default", name="numbers"),
        target=[models.TargetPath(path="/", replicas=1)],
    ),
)
FluidK8sClient().create_data_operation(load, wait=True)
print("cached:", dataset.report_status()["cachedPercentage"])

counting = (
    dataset.preload("/")
    .process(dataset_mountpath="/data", processor=script("wc -l < /data/numbers.txt"))
    .migrate("/", constants.DATA_MIGRATE_DIRECTION_TO, models.ExternalStorage(uri=f"local://{target}"))
    .run(run_id="counting", ttl_seconds_after_finished=86400)
)
counting.wait()
print("counting:", phases(counting))

fluid.cleanup_dataset("numbers", wait=True)
print("gone")
