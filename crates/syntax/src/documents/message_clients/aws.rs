//! Queues and topics of AWS: SQS, SNS.

use super::{MessageClient, NONE, call, call_if};

/// The clients of SQS.
pub(super) const SQS: MessageClient = MessageClient {
    broker: "sqs",
    marks: &["sqs", "SQS", "Sqs"],
    publishes: &[
        call("send_message", "_"),
        call("send_message_batch", "_"),
        call("SendMessage", "_"),
        call("SendMessageCommand", "_"),
        call("sendMessage", "T"),
        call("SendMessageAsync", "T"),
        call("SendMessageInput", "_"),
        call("SendMessageRequest", "T"),
        call("SendMessageRequest.builder", "_"),
        call("qsTemplate.send", "T"),
        call("ueueMessagingTemplate.convertAndSend", "T"),
        call_if("get_queue_by_name", "_", "send_message"),
    ],
    consumes: &[
        call("receive_message", "_"),
        call("ReceiveMessage", "_"),
        call("ReceiveMessageCommand", "_"),
        call("receiveMessage", "T"),
        call("ReceiveMessageAsync", "T"),
        call("ReceiveMessageInput", "_"),
        call("ReceiveMessageRequest", "T"),
        call("ReceiveMessageRequest.builder", "_"),
        call("@SqsListener", "T"),
        call_if("get_queue_by_name", "_", "receive_messages"),
    ],
    names: &[
        ("QueueUrl", 'T'),
        ("queueUrl", 'T'),
        ("queue_url", 'T'),
        ("QueueName", 'T'),
        ("queueNames", 'T'),
        (".queueUrl(", 'T'),
    ],
    ..NONE
};

/// The clients of SNS.
pub(super) const SNS: MessageClient = MessageClient {
    broker: "sns",
    marks: &["sns", "SNS", "Sns", "SimpleNotificationService"],
    publishes: &[
        call("sns.publish", "_"),
        call("lient.publish", "_"),
        call("PublishCommand", "_"),
        call("sns.Publish", "_"),
        call("PublishInput", "_"),
        call("PublishRequest", "T"),
        call("PublishRequest.builder", "_"),
        call("PublishAsync", "T"),
        call("nsTemplate.sendNotification", "T"),
    ],
    names: &[("TopicArn", 'T'), ("topicArn", 'T'), ("topic_arn", 'T'), (".topicArn(", 'T')],
    ..NONE
};
