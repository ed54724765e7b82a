import type { KindRules } from '@perigee/kubernetes/kinds/rules/kind-rule';
import { bindingProblems } from './binding-problems.ts';
import { mutatingBindingProblems, mutatingPolicyProblems } from './mutating-policy-problems.ts';
import { policyProblems } from './policy-problems.ts';
import { webhookConfigurationProblems } from './webhook-problems.ts';

/** Validation of the configurations of admission, by type. */
export const ADMISSION_RULES: KindRules = [
  ['admissionregistration.v1.ValidatingWebhookConfiguration', webhookConfigurationProblems],
  ['admissionregistration.v1.MutatingWebhookConfiguration', webhookConfigurationProblems],
  ['admissionregistration.v1.ValidatingAdmissionPolicy', policyProblems],
  ['admissionregistration.v1.ValidatingAdmissionPolicyBinding', bindingProblems],
  ['admissionregistration.v1.MutatingAdmissionPolicy', mutatingPolicyProblems],
  ['admissionregistration.v1.MutatingAdmissionPolicyBinding', mutatingBindingProblems],
];
