export const RBAC_GROUP = 'rbac.authorization.k8s.io';
