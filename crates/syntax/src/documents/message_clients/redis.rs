//! Redis: channels, streams and lists.

use super::{MessageClient, NONE, call};

/// Channels of Spring.
pub(super) const SPRING: MessageClient = MessageClient {
    broker: "redis",
    marks: &["edisTemplate", "ChannelTopic", "PatternTopic"],
    publishes: &[call("edisTemplate.convertAndSend", "T")],
    consumes: &[call("ChannelTopic", "T"), call("PatternTopic", "T")],
    ..NONE
};

/// The other clients of Redis.
pub(super) const REDIS: MessageClient = MessageClient {
    broker: "redis",
    marks: &["redis", "Redis"],
    publishes: &[
        call(".XAdd", "_"),
        call(".xadd", "T"),
        call(".xAdd", "T"),
        call("StreamAdd", "T"),
        call("StreamAddAsync", "T"),
        call(".Publish", "T"),
        call(".PublishAsync", "T"),
        call(".publish", "T"),
        call(".rpush", "T"),
        call(".lpush", "T"),
        call(".rPush", "T"),
        call(".lPush", "T"),
        call(".RPush", "T"),
        call(".LPush", "T"),
        call("ListRightPush", "T"),
        call("ListRightPushAsync", "T"),
        call("ListLeftPush", "T"),
        call("ListLeftPushAsync", "T"),
    ],
    consumes: &[
        call(".XRead", "_"),
        call(".XReadGroup", "_"),
        call(".xread", "T"),
        call(".xreadgroup", "__T"),
        call(".xRead", "_"),
        call(".xReadGroup", "_"),
        call("StreamRead", "T"),
        call("StreamReadGroupAsync", "T"),
        call(".Subscribe", "T"),
        call(".SubscribeAsync", "T"),
        call(".PSubscribe", "T"),
        call(".subscribe", "T"),
        call(".psubscribe", "T"),
        call(".pSubscribe", "T"),
        call(".blpop", "T"),
        call(".brpop", "T"),
        call(".blPop", "T"),
        call(".brPop", "T"),
        call(".lpop", "T"),
        call(".rpop", "T"),
        call(".BLPop", "_T"),
        call(".BRPop", "_T"),
        call("ListLeftPop", "T"),
        call("ListLeftPopAsync", "T"),
        call("ListRightPop", "T"),
        call("ListRightPopAsync", "T"),
    ],
    names: &[("Stream", 'T'), ("Streams", 'T'), ("stream", 'T'), ("key", 'T')],
    ..NONE
};
