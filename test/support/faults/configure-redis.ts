import { Redis } from 'ioredis'

export async function configureRedis(url: string, setting: string, value: string): Promise<void> {
  const redis = new Redis(url)
  await redis.config('SET', setting, value)
  redis.disconnect()
}
