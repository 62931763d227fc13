// Sends the spans of the API or a worker to an OpenTelemetry collector. docs/operations.md says how to load it.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
provider.register()
process.once('SIGTERM', () => provider.forceFlush())
process.once('beforeExit', () => provider.shutdown())
