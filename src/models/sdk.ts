import type { LanguageModelV3Message } from '@ai-sdk/provider'

/** The one importer of the providers' common interface: what the rest of this room needs of it. */
export {
  APICallError,
  InvalidResponseDataError,
  type LanguageModelV3 as LanguageModel,
  type LanguageModelV3CallOptions as CallOptions,
  type LanguageModelV3Content as ContentPart,
  type LanguageModelV3FunctionTool as FunctionTool,
  type LanguageModelV3GenerateResult as GenerateResult,
  type LanguageModelV3Message as SdkMessage,
  type LanguageModelV3StreamPart as StreamPart,
  type LanguageModelV3ToolResultPart as ToolResultPart,
  type SharedV3ProviderOptions as ProviderOptions,
} from '@ai-sdk/provider'

/** A part of an assistant's message that this room makes. */
export type AssistantPart = Extract<
  Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number],
  { type: 'text' | 'reasoning' | 'tool-call' }
>
