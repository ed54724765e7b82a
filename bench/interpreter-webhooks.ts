/** A kind without objects here, which a karmada-controller-manager requires at its start. */
export const INTERPRETER_WEBHOOKS = {
  metadata: { name: 'resourceinterpreterwebhookconfigurations.config.karmada.io' },
  spec: {
    group: 'config.karmada.io',
    scope: 'Cluster',
    names: {
      plural: 'resourceinterpreterwebhookconfigurations',
      singular: 'resourceinterpreterwebhookconfiguration',
      kind: 'ResourceInterpreterWebhookConfiguration',
      listKind: 'ResourceInterpreterWebhookConfigurationList',
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};
