//! The conversation with an editor.

use crate::{
    Analysis, bytecode,
    bytecode::BytecodeText,
    completion,
    document::Document,
    hints::{self, HintOptions},
    hover, layout, names, outline,
};
use lsp_server::{Connection, ErrorCode, ExtractError, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CompletionOptions, CompletionResponse, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentHighlight, DocumentSymbolResponse, GotoDefinitionResponse, HoverProviderCapability, InitializeParams, Location, OneOf,
    Position, PositionEncodingKind, PrepareRenameResponse, PublishDiagnosticsParams, RenameOptions, ServerCapabilities,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, Uri, WorkDoneProgressOptions, WorkspaceEdit,
    notification::{self, Notification as _},
    request::{self, Request as _},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt, io};

/// Why a conversation ended before its time.
#[derive(Debug)]
pub enum ServeError {
    /// What it reads ended, or was something else, before an editor began to speak.
    NoEditor,
    /// The editor broke the protocol.
    Protocol(String),
    /// Its pipes could not be read or written.
    Io(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::NoEditor => f.write_str("no editor spoke the Language Server Protocol on stdin"),
            ServeError::Protocol(what) => write!(f, "the editor broke the protocol: {what}"),
            ServeError::Io(error) => write!(f, "the conversation with the editor broke off: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Serves an editor, until it says that it is enough.
///
/// # Errors
/// When the editor breaks the protocol, or goes away.
pub fn serve(connection: &Connection) -> Result<(), ServeError> {
    let protocol = |error: lsp_server::ProtocolError| ServeError::Protocol(error.to_string());
    let (id, params) = connection
        .initialize_start()
        .map_err(|error| if error.channel_is_disconnected() { ServeError::NoEditor } else { protocol(error) })?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|error| ServeError::Protocol(error.to_string()))?;
    let options = params.initialization_options.and_then(|options| Options::deserialize(options).ok()).unwrap_or_default();
    let info = json!({ "name": "tilewright", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": info })).map_err(protocol)?;
    let mut server = Server { connection, documents: BTreeMap::new(), options };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).map_err(protocol)? {
                    return Ok(());
                }
                let response = server.answer(request);
                server.send(Message::Response(response))?;
            }
            Message::Notification(notification) => server.note(notification)?,
            // Nothing was asked.
            Message::Response(_) => {}
        }
        // What is wrong with a text that has changed again meanwhile interests nobody.
        if connection.receiver.is_empty() {
            server.publish()?;
        }
    }
    Err(ServeError::Protocol("it went away without a word".to_owned()))
}

/// What the editor wants, in `initializationOptions`.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Options {
    inlay_hints: HintOptions,
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(completion::SIGNS.map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

struct Server<'c> {
    connection: &'c Connection,
    documents: BTreeMap<String, Document>,
    options: Options,
}

/// Why a request has no result.
enum Refused {
    /// It cannot be read.
    Params(serde_json::Error),
    Unknown,
    /// What is asked for cannot be done.
    Failed(String),
}

impl Server<'_> {
    fn send(&self, message: Message) -> Result<(), ServeError> {
        let gone = || ServeError::Io(io::ErrorKind::BrokenPipe.into());
        self.connection.sender.send(message).map_err(|_| gone())
    }

    fn answer(&self, request: Request) -> Response {
        let id: RequestId = request.id.clone();
        match self.result_of(request) {
            Ok(result) => Response::new_ok(id, result),
            Err(Refused::Params(error)) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
            Err(Refused::Unknown) => Response::new_err(id, ErrorCode::MethodNotFound as i32, "this is not served".to_owned()),
            Err(Refused::Failed(why)) => Response::new_err(id, ErrorCode::RequestFailed as i32, why),
        }
    }

    fn result_of(&self, asked: Request) -> Result<Value, Refused> {
        match asked.method.as_str() {
            request::HoverRequest::METHOD => answer::<request::HoverRequest>(asked, |p| {
                Ok(self.at(&p.text_document_position_params).and_then(|(analysis, at)| hover::at(analysis, at)))
            }),
            request::GotoDefinition::METHOD => answer::<request::GotoDefinition>(asked, |p| {
                let place = &p.text_document_position_params;
                let range = self.at(place).and_then(|(analysis, at)| names::definition(analysis, at));
                let uri = place.text_document.uri.clone();
                Ok(range.map(|range| GotoDefinitionResponse::Scalar(Location { uri, range })))
            }),
            request::References::METHOD => answer::<request::References>(asked, |p| {
                let place = &p.text_document_position;
                let ranges = self.at(place).map(|(analysis, at)| names::places(analysis, at, p.context.include_declaration));
                let located = |range| Location { uri: place.text_document.uri.clone(), range };
                Ok(ranges.map(|ranges| ranges.into_iter().map(located).collect()))
            }),
            request::DocumentHighlightRequest::METHOD => answer::<request::DocumentHighlightRequest>(asked, |p| {
                let ranges = self.at(&p.text_document_position_params).map(|(analysis, at)| names::places(analysis, at, true));
                Ok(ranges.map(|ranges| ranges.into_iter().map(|range| DocumentHighlight { range, kind: None }).collect()))
            }),
            request::PrepareRenameRequest::METHOD => answer::<request::PrepareRenameRequest>(asked, |p| {
                let range = self.at(&p).and_then(|(analysis, at)| names::renamed_range(analysis, at));
                Ok(range.map(PrepareRenameResponse::Range))
            }),
            request::Rename::METHOD => answer::<request::Rename>(asked, |p| {
                let place = &p.text_document_position;
                let Some((analysis, at)) = self.at(place) else { return Ok(None) };
                let edits = names::rename(analysis, at, &p.new_name).map_err(Refused::Failed)?;
                #[expect(clippy::mutable_key_type, reason = "the protocol's structure has this type")]
                let changes = [(place.text_document.uri.clone(), edits)].into_iter().collect();
                Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
            }),
            request::Completion::METHOD => answer::<request::Completion>(asked, |p| {
                let items = self.at(&p.text_document_position).map(|(analysis, at)| completion::at(analysis, at));
                Ok(items.map(CompletionResponse::Array))
            }),
            _ => self.result_about_text(asked),
        }
    }

    /// Of requests about a whole text, or about a file.
    fn result_about_text(&self, asked: Request) -> Result<Value, Refused> {
        match asked.method.as_str() {
            request::DocumentSymbolRequest::METHOD => answer::<request::DocumentSymbolRequest>(asked, |p| {
                Ok(self.analysis(&p.text_document.uri).map(|analysis| DocumentSymbolResponse::Nested(outline::of(analysis))))
            }),
            request::Formatting::METHOD => answer::<request::Formatting>(asked, |p| {
                Ok(self.analysis(&p.text_document.uri).map(|analysis| layout::edits(analysis.text(), analysis.lines())))
            }),
            request::InlayHintRequest::METHOD => answer::<request::InlayHintRequest>(asked, |p| {
                Ok(self.analysis(&p.text_document.uri).map(|analysis| {
                    let offset = |position: Position| analysis.lines().offset(analysis.text(), position);
                    hints::within(analysis, &(offset(p.range.start)..offset(p.range.end)), self.options.inlay_hints)
                }))
            }),
            BytecodeText::METHOD => answer::<BytecodeText>(asked, |p| bytecode::text(&p).map_err(Refused::Failed)),
            _ => Err(Refused::Unknown),
        }
    }

    fn analysis(&self, uri: &Uri) -> Option<&Analysis> {
        self.documents.get(uri.as_str()).map(Document::analysis)
    }

    /// A text that is open, and a place in it.
    fn at(&self, place: &TextDocumentPositionParams) -> Option<(&Analysis, usize)> {
        let analysis = self.analysis(&place.text_document.uri)?;
        Some((analysis, analysis.lines().offset(analysis.text(), place.position)))
    }

    fn note(&mut self, told: Notification) -> Result<(), ServeError> {
        match told.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let p: DidOpenTextDocumentParams = params(told)?;
                let document = Document::new(p.text_document.text, p.text_document.version);
                self.documents.insert(p.text_document.uri.as_str().to_owned(), document);
            }
            notification::DidChangeTextDocument::METHOD => {
                let p: DidChangeTextDocumentParams = params(told)?;
                if let Some(document) = self.documents.get_mut(p.text_document.uri.as_str()) {
                    *document = document.changed(p.content_changes, p.text_document.version);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                let p: DidCloseTextDocumentParams = params(told)?;
                self.documents.remove(p.text_document.uri.as_str());
                self.tell(PublishDiagnosticsParams { uri: p.text_document.uri, diagnostics: Vec::new(), version: None })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells the editor what is wrong with texts that are new to it.
    fn publish(&mut self) -> Result<(), ServeError> {
        let mut news = Vec::new();
        for (uri, document) in self.documents.iter_mut().filter(|(_, document)| document.is_news) {
            document.is_news = false;
            let analysis = document.analysis();
            // It came as one.
            let Ok(uri) = uri.parse() else { continue };
            let diagnostics =
                analysis.problems().iter().map(|problem| problem.diagnostic(&uri, analysis.text(), analysis.lines())).collect();
            news.push(PublishDiagnosticsParams { uri, diagnostics, version: Some(document.version) });
        }
        news.into_iter().try_for_each(|params| self.tell(params))
    }

    fn tell(&self, params: PublishDiagnosticsParams) -> Result<(), ServeError> {
        self.send(Message::Notification(Notification::new(notification::PublishDiagnostics::METHOD.to_owned(), params)))
    }
}

/// Reads the parameters of a request and answers it.
fn answer<R: request::Request>(asked: Request, result: impl FnOnce(R::Params) -> Result<R::Result, Refused>) -> Result<Value, Refused> {
    let (_, params) = asked.extract(R::METHOD).map_err(|error| match error {
        ExtractError::JsonError { error, .. } => Refused::Params(error),
        ExtractError::MethodMismatch(_) => Refused::Unknown,
    })?;
    serde_json::to_value(result(params)?).map_err(Refused::Params)
}

fn params<P: serde::de::DeserializeOwned>(told: Notification) -> Result<P, ServeError> {
    serde_json::from_value(told.params).map_err(|error| ServeError::Protocol(format!("{}: {error}", told.method)))
}
