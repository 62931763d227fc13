import * as errors from '../../shared/errors/catalogue.ts'
import type { AllModels } from '../../shared/manager/repository.ts'

/** @throws managerNotConfigured (503) */
export function configured(models: AllModels | null): AllModels {
  if (models === null) throw errors.managerNotConfigured()
  return models
}
