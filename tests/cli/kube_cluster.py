"""A small cluster as Kubernetes has it, for the tests of `--kube`. It has all that a decision log must be able to hold."""

from __future__ import annotations

NODES = """
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, zone: a}},
     status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}, images: [{names: ["web:v1"], sizeBytes: 900000000}]}}
  - {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2, zone: b}},
     status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
  - {apiVersion: v1, kind: Node, metadata: {name: n3, labels: {kubernetes.io/hostname: n3, zone: b}}, spec: {unschedulable: true},
     status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
  - {apiVersion: v1, kind: Node, metadata: {name: gpu, labels: {kubernetes.io/hostname: gpu, zone: a}},
     spec: {taints: [{key: gpu, effect: NoSchedule}]},
     status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10", nvidia.com/gpu: "2"}}}
"""
PODS = """
apiVersion: v1
kind: Pod
metadata: {name: old, namespace: kube-system, labels: {app: agent}}
spec:
  nodeName: n2
  containers: [{name: c, image: agent, ports: [{containerPort: 80, hostPort: 80}], resources: {requests: {cpu: "3"}}}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: squeezed, labels: {app: db}}
spec: {nodeName: n2, containers: [{name: c, image: db, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: "web:v1", resources: {requests: {cpu: 500m}}}]
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}},
           nodeTaintsPolicy: Honor, nodeAffinityPolicy: Ignore}
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - {weight: 100, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: side, labels: {app: side}}
spec:
  containers: [{name: c, image: side, ports: [{containerPort: 80, hostPort: 80}], resources: {requests: {cpu: 100m}}}]
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - {topologyKey: zone, labelSelector: {matchLabels: {app: web}}, namespaces: [default, kube-system]}
        - {topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: even, labels: {app: even}}
spec:
  containers: [{name: c, image: even}]
  topologySpreadConstraints:
    - {maxSkew: 1, minDomains: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: even}}}
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  tolerations: [{key: gpu, operator: Exists}]
  containers: [{name: c, image: train, resources: {limits: {nvidia.com/gpu: "2"}}}]
"""
HUGE = """
apiVersion: v1
kind: Pod
metadata: {name: huge}
spec: {containers: [{name: c, image: huge, resources: {requests: {cpu: "6"}}}]}
"""
PACKED = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
    pluginConfig:
      - name: NodeResourcesFit
        args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 5}]}}
"""
