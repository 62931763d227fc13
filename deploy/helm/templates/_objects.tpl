{{- /* The objects of deploy/kubernetes, to which the folder kubernetes is a link, as a JSON list. */ -}}
{{- define "packets.manifests" -}}
{{- $objects := list -}}
{{- range $path, $bytes := .Files.Glob "kubernetes/*.yaml" -}}
{{- range regexSplit "(?m)^---$" (toString $bytes) -1 -}}
{{- $objects = append $objects (fromYaml .) -}}
{{- end -}}
{{- end -}}
{{- toJson $objects -}}
{{- end -}}

{{- /* Prints an object, with its namespace and its patch. Takes the root and the object. */ -}}
{{- define "packets.print" -}}
{{- $root := index . 0 -}}
{{- $object := index . 1 -}}
{{- $_ := set $object.metadata "namespace" $root.Release.Namespace -}}
{{- $patch := get $root.Values.patches (printf "%s/%s" $object.kind $object.metadata.name) | default dict -}}
---
{{ mergeOverwrite $object (deepCopy $patch) | toYaml }}
{{ end -}}

{{- /* Sets the values in a Deployment. Takes the root, the Deployment, the settings, and the seconds that a stop takes
       longer than with the settings of deploy/kubernetes. */ -}}
{{- define "packets.setDeployment" -}}
{{- $root := index . 0 -}}
{{- $values := $root.Values -}}
{{- $spec := (index . 1).spec -}}
{{- $settings := index . 2 -}}
{{- $program := get $spec.template.metadata.labels "app.kubernetes.io/component" -}}
{{- $pod := $spec.template.spec -}}
{{- $container := index $pod.containers 0 -}}
{{- $secrets := dict "packets-secrets" $values.existingSecrets.shared "packets-api-secrets" $values.existingSecrets.api -}}
{{- $tag := printf ":%s" (default $root.Chart.AppVersion $values.image.tag) -}}
{{- with $values.image.digest -}}{{- $tag = printf "@%s" . -}}{{- end -}}
{{- $_ := set $container "image" (print $values.image.repository $tag) -}}
{{- with $values.image.pullPolicy -}}{{- $_ := set $container "imagePullPolicy" . -}}{{- end -}}
{{- with $values.imagePullSecrets -}}{{- $_ := set $pod "imagePullSecrets" . -}}{{- end -}}
{{- range $container.env -}}
{{- with .valueFrom -}}{{- $_ := set .secretKeyRef "name" (get $secrets .secretKeyRef.name) -}}{{- end -}}
{{- end -}}
{{- range $pod.volumes -}}
{{- with .secret -}}{{- $_ := set . "secretName" (get $secrets .secretName) -}}{{- end -}}
{{- end -}}
{{- $_ := set $container "env" (concat $container.env $values.extraEnv) -}}
{{- $_ := set $container "volumeMounts" (concat $container.volumeMounts $values.extraVolumeMounts) -}}
{{- $_ := set $pod "volumes" (concat $pod.volumes $values.extraVolumes) -}}
{{- $_ := set $pod "terminationGracePeriodSeconds" (add $pod.terminationGracePeriodSeconds (index . 3)) -}}
{{- /* A pod reads its settings only when it starts. */ -}}
{{- $_ := set $spec.template.metadata.annotations "checksum/settings" (toJson $settings | sha256sum) -}}
{{- if eq $program "worker" -}}
{{- if eq $values.worker.scaling.by "none" -}}{{- $_ := set $spec "replicas" $values.worker.scaling.minReplicas -}}{{- end -}}
{{- else if $values.api.autoscaling.enabled -}}{{- $_ := unset $spec "replicas" -}}
{{- else -}}{{- $_ := set $spec "replicas" $values.api.replicas -}}
{{- end -}}
{{- end -}}

{{- /* Sets the values in the ScaledObject. Takes the root, the object and the settings. */ -}}
{{- define "packets.setScaledObject" -}}
{{- $values := (index . 0).Values -}}
{{- $spec := (index . 1).spec -}}
{{- $concurrency := (index . 2).WORKER_CONCURRENCY -}}
{{- $_ := set $spec "minReplicaCount" $values.worker.scaling.minReplicas -}}
{{- $_ := set $spec "maxReplicaCount" $values.worker.scaling.maxReplicas -}}
{{- $_ := set $spec.advanced.scalingModifiers "target" $concurrency -}}
{{- range $spec.triggers -}}
{{- $_ := set .metadata "address" $values.redis.address -}}
{{- $_ := set .metadata "databaseIndex" $values.redis.databaseIndex -}}
{{- $_ := set .metadata "listLength" $concurrency -}}
{{- if $values.redis.tls -}}{{- $_ := set .metadata "enableTLS" "true" -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- /* A HorizontalPodAutoscaler by CPU, as JSON. Takes the program, its values and the behavior. */ -}}
{{- define "packets.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: packets-{{ .program }}
  labels: { app.kubernetes.io/name: graph-packets, app.kubernetes.io/component: {{ .program }} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: packets-{{ .program }} }
  minReplicas: {{ .values.minReplicas }}
  maxReplicas: {{ .values.maxReplicas }}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ .values.cpuPercent }} } }
{{- with .behavior }}
  behavior: {{ toJson . }}
{{- end }}
{{- end -}}
